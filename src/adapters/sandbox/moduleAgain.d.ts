/** The same module once more, with a state of its own: what follows the question mark makes Node load it anew. */
declare module '@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-manager.js?every' {
  export { SandboxManager } from '@anthropic-ai/sandbox-runtime';
}
