import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../src/core/secretLooks.ts';

const PEM = '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\nq83vEjRWeJ\n-----END RSA PRIVATE KEY-----';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N';

describe('text in the form of a secret is masked', () => {
  it.each([
    ['a private key over several lines', `key:\n${PEM}\nend`, 'key:\n⟨secret⟩\nend'],
    ['a private key that was cut off', PEM.slice(0, 60), '⟨secret⟩'],
    ['a key of a provider', 'use sk-proj-abcdefghijklmnop1234 here', 'use ⟨secret⟩ here'],
    ['a token of GitHub', 'ghp_abcdefghijklmnopqrst1234', '⟨secret⟩'],
    ['a token of npm', '//registry.example.test/:_authToken=npm_abcdefghijklmnop1234', '//registry.example.test/:_authToken=⟨secret⟩'],
    ['an id of AWS', 'aws_access_key_id AKIAIOSFODNN7EXAMPLE', 'aws_access_key_id ⟨secret⟩'],
    ['a secret of AWS', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'aws_secret_access_key = ⟨secret⟩'],
    ['a JSON web token', `token ${JWT}.`, 'token ⟨secret⟩.'],
    ['a header that signs in', 'Authorization: Bearer abcdefghijklmnop', 'Authorization: ⟨secret⟩'],
    ['a header with a scheme of its own', 'curl -H "Authorization: token 0123456789abcdef"', 'curl -H "Authorization: token ⟨secret⟩"'],
    ['a password in a settings file', 'password: "hunter2"', 'password: "⟨secret⟩"'],
    ['a password in JSON', '{"dbPassword":"correct-horse","port":1}', '{"dbPassword":"⟨secret⟩","port":1}'],
    ['a password in JSON inside JSON', String.raw`{"content":"{\"password\": \"hunter2\"}"}`, String.raw`{"content":"{\"password\": \"⟨secret⟩\"}"}`],
    ['a password in code', "const clientSecret = 'a8f9x';", "const clientSecret = '⟨secret⟩';"],
    ['a password without quotes', 'password=hunter2', 'password=⟨secret⟩'],
    ['a private key of PGP', '-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQdGBF\n-----END PGP PRIVATE KEY BLOCK-----\nend', '⟨secret⟩\nend'],
    ['a variable in YAML', 'env:\n  AWS_SECRET_ACCESS_KEY: wJalrXUtnFEMI/K7MDENG', 'env:\n  AWS_SECRET_ACCESS_KEY: ⟨secret⟩'],
    ['a variable with spaces around its sign', 'OPENAI_API_KEY = abc123def456', 'OPENAI_API_KEY = ⟨secret⟩'],
    ['an option of a command line', 'deploy --token=abcdef123456 --password correcthorse', 'deploy --token=⟨secret⟩ --password ⟨secret⟩'],
    ['the key of an npm registry', '//registry.example.test/:_auth=YWRhOmh1bnRlcjI=', '//registry.example.test/:_auth=⟨secret⟩'],
    ['the key of a storage account', 'AccountName=shop;AccountKey=q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQ==;', 'AccountName=shop;AccountKey=⟨secret⟩;'],
    ['an address that posts messages', 'https://hooks.slack.com/services/T0123/B0123/abcdefghijklmnop', 'https://hooks.slack.com/services/⟨secret⟩'],
    ['a cookie', 'Set-Cookie: session=0123456789abcdef; Path=/', 'Set-Cookie: ⟨secret⟩'],
    ['a line of a .env file', 'DB_PASSWORD=correcthorse\nPORT=80', 'DB_PASSWORD=⟨secret⟩\nPORT=80'],
    ['an address with a password', 'postgres://ada:hunter2@db.example.test/shop', 'postgres://ada:⟨secret⟩@db.example.test/shop'],
  ])('%s', (_what, text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });
});

it('a text of many beginnings is gone through once', () => {
  const text = 'eyJ-'.repeat(250_000);
  expect(maskSecrets(text)).toBe(text);
});

describe('text that is none stays as it is', () => {
  it.each([
    ['an option that is explained', 'use --token <token> or --password $PASSWORD'],
    ['a type in capitals', 'const env: { API_KEY: string; TOKEN: z.infer<typeof token2> };'],
    ['a commit', 'commit 7e2c9a0f3b1d4c5e6a7b8c9d0e1f2a3b4c5d6e7f'],
    ['a hash of a lock file', '"integrity": "sha512-q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=="'],
    ['a uuid', 'id: 123e4567-e89b-42d3-a456-426614174000'],
    ['a picture', `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAAAAUA'.repeat(8)}`],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'],
    ['a type', 'interface Login { password: string; apiKey: string | null }'],
    ['a call', 'const secret = sha256(input1);'],
    ['a name in code', 'this.password = password;'],
    ['a comparison', "if (password === 'hunter2x') return;"],
    ['a value from the environment', 'const apiKey = process.env.API_KEY;'],
    ['a value that is filled in', 'password: "${DB_PASSWORD}" and API_KEY=$KEY and token: ${{ secrets.TOKEN }}'],
    ['a sentence', 'password: "Enter your password"'],
    ['a hash of a password', 'password_hash=5f4dcc3b5aa765d61d8327deb882cf99'],
    ['a limit of tokens', 'max_tokens: 128000, MAX_TOKEN=4096'],
    ['the name of a way to sign in', 'Basic authentication, Bearer authorization'],
    ['an address with a port', 'http://localhost:8080/a@b and ssh://git@host.example.test:22/x and git@host.example.test:a/b.git'],
  ])('%s', (_what, text) => {
    expect(maskSecrets(text)).toBe(text);
  });
});

it('takes time in proportion to the text, however it is made', () => {
  const texts = ['a'.repeat(2_000_000), 'password'.repeat(200_000), 'x://'.repeat(400_000), ' '.repeat(2_000_000), '-----BEGIN PRIVATE KEY-----'.repeat(2_000), 'const a = "b";\n'.repeat(130_000)];
  const before = performance.now();
  for (const text of texts) maskSecrets(text);
  expect(performance.now() - before).toBeLessThan(10_000);
}, 30_000);
