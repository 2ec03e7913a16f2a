import tseslint from 'typescript-eslint';

/** Each folder of `src`, with what it may import. test/rules/imports.test.ts is the law; this says it while typing. */
const layers = [
  { files: ['src/core/**/*.ts'], banned: ['vscode', 'node:*', 'openai', 'simple-git', '**/runtime/**', '**/adapters/**', '**/protocol/**', '**/editor/**'] },
  { files: ['src/runtime/**/*.ts'], banned: ['vscode', 'node:*', 'openai', 'simple-git', '**/adapters/**', '**/protocol/**', '**/editor/**'] },
  { files: ['src/protocol/**/*.ts'], banned: ['vscode', 'node:*', '**/runtime/**', '**/adapters/**', '**/editor/**'] },
  { files: ['src/adapters/**/*.ts'], banned: ['vscode', '**/protocol/**', '**/editor/**'] },
  { files: ['src/editor/**/*.ts'], banned: ['openai', 'simple-git', '**/adapters/**'] },
];

export default tseslint.config(
  { ignores: ['dist', 'out', 'node_modules', '.vscode-test', 'test/fixtures'] },
  {
    files: ['src/**/*.ts', 'test/**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'Name what you export.' }, { selector: 'ExportAllDeclaration', message: 'No barrel files: import from the file that holds the thing.' }],
      'max-lines': ['error', { max: 500 }],
    },
  },
  ...layers.map(({ files, banned }) => ({ files, rules: { 'no-restricted-imports': ['error', { patterns: [{ group: banned, message: 'This layer may not import that one: see ARCHITECTURE.md, Folders.' }] }] } })),
  { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
