/** Which tests hold a case; or what it waits for. */
export type Coverage = readonly CaseTest[] | { readonly waitsFor: string };

export interface CaseTest {
  /** From the project's root. */
  readonly file: string;
  /** As the test is named there; where one test runs over several values, before they are put in. */
  readonly title: string;
}
