/** What the suite inside the editor writes down for the process that started the editor. */
export interface EditorReport {
  readonly tests: readonly TestResult[];
  /** Why the suite could not run at all. */
  readonly crash?: string;
}

export interface TestResult {
  readonly title: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly milliseconds: number;
  readonly error?: string;
}
