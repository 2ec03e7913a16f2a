/** A version of VS Code that the tests run, and the parts that it is made of. */
export interface EditorRelease {
  /** VS Code's version, as `vscode.version` tells it. */
  readonly vscode: string;
  /** The version of the npm package that carries VS Code's server. */
  readonly codeServer: string;
  /** The major version of Node that this server wants. */
  readonly nodeMajor: number;
  /** Which Node to install next to it when the running one has another major version. */
  readonly node: string;
}

export const newestRelease: EditorRelease = { vscode: '1.139.1', codeServer: '4.139.1', nodeMajor: 24, node: '24.9.0' };

/** The oldest VS Code that package.json's `engines` promises. */
export const oldestRelease: EditorRelease = { vscode: '1.112.0', codeServer: '4.112.0', nodeMajor: 22, node: '22.23.5' };
