/**
 * The text with everything that has the form of a key or password replaced. What is stored is not changed: this is for
 * views, which are shared, recorded and read over a shoulder.
 */
export function maskSecrets(text: string): string {
  return text.replace(SECRETS, '⟨secret⟩');
}

/** Whether a short value, such as that of a header, is more likely a key than a name: by its form, or as one long run of letters and digits. */
export function looksLikeKey(value: string): boolean {
  if (KEY.test(value)) return true;
  return (value.match(/[A-Za-z0-9_-]{24,}/g) ?? []).some((run) => !/^(?:org|proj)[-_]/.test(run) && /[A-Za-z]/.test(run) && (run.match(/\d/g) ?? []).length >= 4);
}

/** Beginnings that providers give to their keys, so that a leaked one can be told from other text. */
const PREFIXED = /\b(?:sk|pk|rk)[-_][\w-]{16,}|\b(?:gsk_|xai-|nvapi-|hf_|gh[oprsu]_|github_pat_|glpat-|npm_|xox[abeprs]-|ya29\.|AIza|AKIA|ASIA)[\w.-]{12,}|\b(?:pypi-[A-Za-z0-9][\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|do[oprt]_v1_[a-f0-9]{32,})/;
/** From the first letter of a run on: a text of many beginnings would else be read to its end from each. */
const JSON_WEB_TOKEN = /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/;
/** “Basic authentication” is two words and no key. */
const SIGNED_IN = /\b(?:Bearer|Basic)\s+(?:(?=[A-Za-z_.~+/=-]*\d)[\w.~+/=-]{12,}|[\w.~+/=-]{16,})/;
const KEY = any(PREFIXED, JSON_WEB_TOKEN, SIGNED_IN);

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/;

/** Names that a secret is assigned to, as their end: `DB_PASSWORD`, `clientSecret`, `aws_secret_access_key`. A hash of a password is none. */
const NAME = '(?:[Pp]ass(?:word|wd|phrase)|[Pp]wd|[Ss]ecret|[Aa]pi[_-]?[Kk]ey|(?:[Aa]ccess|[Pp]rivate|[Ss]ecret)[_-]?[Kk]ey|(?:[Aa]uth|[Aa]ccess|[Rr]efresh)[_-]?[Tt]oken)';
const SHOUTED_NAME = '(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|API_?KEY|(?:ACCESS|PRIVATE|SECRET)_?KEY|TOKEN)';
const QUOTE = String.raw`\\{0,2}["'\x60]`;
const ASSIGNED = String.raw`[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}`;
/** Of a value between quotes; also in JSON inside JSON, where a quote has a backslash before it. A sentence is no password, nor is what is filled in later. */
const QUOTED_VALUE = new RegExp(String.raw`(?<=(?:${NAME}|${SHOUTED_NAME})(?:${QUOTE})?${ASSIGNED}${QUOTE})(?!\$\{|\{\{|<|%)[^\s"'\x60\\]{4,}(?=\\{0,2}["'\x60])`);
/** Without quotes a value that only holds letters may be a name in code, and what has a bracket behind it is a call. */
const BARE_VALUE = new RegExp(String.raw`(?<=(?:${NAME}|${SHOUTED_NAME})${ASSIGNED})(?=[^\s"'\x60]{0,200}\d)(?=[^\s"'\x60]{0,200}[A-Za-z])[\w!@#%^&*+/=~-]{6,}(?![\w!@#%^&*+/=~([{<.-])`);
/** As in a shell or a .env file, where a value needs no quotes. */
const ENVIRONMENT_VALUE = new RegExp(String.raw`(?<=${SHOUTED_NAME}=)(?!(?:\d+|true|false|null|none|undefined)\b|[$<{(*%⟨])[^\s"'\x60\\;&]{4,}`);
const AUTHORIZATION = new RegExp(String.raw`(?<=\b(?:A|a|x-a|X-A)uthorization(?:${QUOTE})?${ASSIGNED}(?:${QUOTE})?(?:[A-Za-z]{1,20} )?)(?=[\w.~+/=-]{0,200}\d)[\w.~+/=-]{12,}`);
/** An option of a command line. */
const OPTION_VALUE = /(?<=[ \t]--(?:password|passphrase|token|api-key|secret)[= ])[^\s"'\x60<$-][^\s"'\x60]{5,}/;
/** Of files of settings whose names for it are their own: .npmrc, a connection to a cloud, an address to post messages to. */
const OWN_NAME = /(?<=\b_auth(?:Token)?[ \t]?=[ \t]?["']?)[^\s"'$]{8,}|(?<=\b(?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/=]{20,}|(?<=\bhooks\.slack\.com\/services\/)[\w/]{20,}/;
const COOKIE = /(?<=\b[Cc]ookie: )(?=[^\r\n]{0,200}=)[^\r\n]{8,}/;
/** Only the password: the address still says where it led. */
const ADDRESS_PASSWORD = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"'`]{0,100}:)(?![$<{%])[^\s/@"'`]+(?=@)/;

/** Everything in a text that has the form of a key or of a password that is assigned or sent. */
export const SECRETS = new RegExp(any(PRIVATE_KEY, KEY, AUTHORIZATION, QUOTED_VALUE, BARE_VALUE, ENVIRONMENT_VALUE, OPTION_VALUE, OWN_NAME, COOKIE, ADDRESS_PASSWORD), 'g');

function any(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'));
}
