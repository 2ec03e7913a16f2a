import { describe, expect, it } from 'vitest';
import { cutAtSentence, parseReadme } from '../../../src/core/survey/readme.ts';

describe('what a readme says a thing is for', () => {
  it.each([
    ['the first paragraph under the title', '# Tool\n\nReads logs and tells what went wrong.\n\nMore.', 'Reads logs and tells what went wrong.'],
    ['behind badges, HTML and pictures', '<p align="center">\n  <img src="x.png">\n</p>\n\n# Tool [![npm](x)](y)\n\n[![a](b)](c)\n[![d](e)](f)\n\n**Reads** [logs](http://x) and `tells` what went wrong.', 'Reads logs and `tells` what went wrong.'],
    ['a centred line in HTML', '<p align="center">\n  <a href="x"><img src="y"></a>\n</p>\n<p align="center">\n  The compiler for writing next generation things.\n</p>\n\n<h2>Supporting us</h2>\n\nTool is a community project by many.', 'The compiler for writing next generation things.'],
    ['one that begins with its name, after news', '# Gin Web Framework\n\n## Gin 2 is now available!\n\nWe\'re excited to announce the release of Gin 2. Upgrade today please.\n\nGin is a web framework written in Go.', 'Gin is a web framework written in Go.'],
    ['without the lead to a list', '# Vite\n\nVite is a build tool for modern web projects. It consists of two parts:\n\n- a\n- b', 'Vite is a build tool for modern web projects.'],
    ['not a step, a quote, a table or a list', '# Tool\n\n> Note this.\n\n- a list item that is long enough\n\n| a | b |\n| - | - |\n\nThen follow the prompts on the screen.\n\nSee the documentation for more about it.\n\nThe engine that runs all of our jobs.', 'The engine that runs all of our jobs.'],
    ['a sentence that leads to code, where it names the thing', '# Sinatra\n\nSinatra is a language for small web applications:\n\n```ruby\nget\n```\n\nThe code will not take effect at once.', 'Sinatra is a language for small web applications.'],
    ['a line that is set as a quotation under the title', '# Tool\n\n> Published only for those who build renderers.\n\nSee the website for more about it.', 'Published only for those who build renderers.'],
    ['not one about a setting that begins with its name', '# Tool\n\nAgents work on folders of your repository, and you accept what they propose.\n\n## Tapes\n\n`tool.tape` provides a record of what was asked.', 'Agents work on folders of your repository, and you accept what they propose.'],
    ['front matter and comments aside', '---\ntitle: x\n---\n<!-- a comment that is long enough to be prose -->\n# T\n\nKeeps what people wrote last year.', 'Keeps what people wrote last year.'],
  ])('is %s', (_, text, intent) => {
    expect(parseReadme(text).intent).toBe(intent);
  });

  it.each([
    ['it begins with how to use it', '# Tool\n\n## Usage\n\nThis paragraph tells how to call the tool.'],
    ['there is code before it', '# Tool\n\n```\ncode that is long enough to be prose\n```\n\nThe server has to be started again after that.'],
    ['a quotation only goes on from the title', '# Tool\n\n> lets you lint all valid code with it\n\nSee the website for more.'],
    ['a quotation is a box of GitHub', '# Tool\n\n> [!CAUTION]\n> Everything in here may break any day.'],
    ['there is nothing but links', '# Tool\n\n[Website](a) • [Docs](b) • [Chat](c)\n\nhttps://example.com/docs'],
    ['it is empty', ''],
  ])('is nothing where %s', (_, text) => {
    expect(parseReadme(text).intent).toBeNull();
  });

  it('is found in reStructuredText', () => {
    const text = 'Flask\n=====\n\n.. image:: x.png\n   :target: y\n\nFlask is a *lightweight* framework by `Pallets <https://x>`_ people.\n\nInstalling\n----------\n\nInstall it with pip, as usual.\n';
    expect(parseReadme(text, true)).toMatchObject({ title: 'Flask', intent: 'Flask is a lightweight framework by Pallets people.' });
  });

  it('has its title from a heading of the first level only', () => {
    expect(parseReadme('### Meta\n\nx').title).toBeNull();
    expect(parseReadme('Title\n===\n\nx').title).toBe('Title');
  });

  it('names its headings about what does not work', () => {
    expect(parseReadme('# T\n\n## Known Limitations\n\nNone.\n\n## Limits\n').knownIssues).toEqual(['Known Limitations']);
  });
});

describe('a text that is cut', () => {
  it('ends with a whole sentence', () => {
    const text = 'One sentence, e.g. this v1.2 one. Another sentence that is longer. And a third one.';
    expect(cutAtSentence(text, 50)).toBe('One sentence, e.g. this v1.2 one.');
    expect(cutAtSentence(text, 70)).toBe('One sentence, e.g. this v1.2 one. Another sentence that is longer.');
  });

  it('ends at a word where the first sentence is too long', () => {
    expect(cutAtSentence(`${'word '.repeat(40).trim()}.`, 30)).toBe('word word word word word word…');
  });
});
