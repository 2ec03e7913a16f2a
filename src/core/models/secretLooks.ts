/** Beginnings that providers give to their keys, so that a leaked one can be told from other text. */
const KEY = /\b(?:sk|pk|rk)[-_][\w-]{16,}|\b(?:gsk_|xai-|nvapi-|hf_|gh[oprsu]_|github_pat_|glpat-|xox[abp]-|ya29\.|AIza|AKIA)[\w.-]{12,}|\b(?:npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9][\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|do[oprt]_v1_[a-f0-9]{32,})|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|\b(?:Bearer|Basic)\s+[\w.~+/=-]{12,}/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/;

/** Everything in a text that has the form of a key. */
export const SECRETS = new RegExp(`${PRIVATE_KEY.source}|${KEY.source}`, 'g');

/** Whether a short value, such as that of a header, is more likely a key than a name: by its form, or as one long run of letters and digits. */
export function looksLikeKey(value: string): boolean {
  if (KEY.test(value)) return true;
  return (value.match(/[A-Za-z0-9_-]{24,}/g) ?? []).some((run) => !/^(?:org|proj)[-_]/.test(run) && /[A-Za-z]/.test(run) && (run.match(/\d/g) ?? []).length >= 4);
}
