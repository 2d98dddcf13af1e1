import { HIDDEN_VALUE } from '../../protocol/host-inventory.ts'

/** A user in a URL, with or without a password: some take a token for a name. */
const URL_USER = /:\/\/[^\s/@"']+@/
/** Tokens that show by their form what they are: of clouds, of forges, of JSON. */
const TOKEN = /\b(?:(?:AKIA|ASIA)[0-9A-Z]{16}\b|gh[pousr]_\w{20}|github_pat_\w{20}|glpat-[\w-]{20}|eyJ[\w-]{10,2000}\.[\w-]{10})/
/** What a file of configuration says before a credential. What is left out by mistake stays on the host. */
const IN_FILES = [
  /PRIVATE KEY/,
  /(?:^|[^a-z])(?:auth|(?:pass(?:word|wd|phrase)?|pwd|secret|token|identitytoken|authorization|credential|(?:api|access)[-_]?key)[\w-]{0,60})["']?\s*[=:]\s*["'[]*[^\s"'[]/im,
  // The path of a key is no key.
  /(?:^|[^a-z])key["']?\s*[=:]\s*["'[]*[^\s"'[/]/im,
  // Headers have any name; containerd sends those of such a table, which is empty by default, to a registry.
  /\bheaders?["']?\][ \t]*\n[ \t]*[^\s#[]|\bheaders?["']?[ \t]*=[ \t]*\{[ \t]*[^\s}]/i,
  URL_USER,
  TOKEN,
]
const KERNEL_WORD = /(?:pass(?:word|wd|phrase)?|secret|token|credentials?|key|auth)=./i

export function mayHoldSecret(text: string): boolean {
  return IN_FILES.some((pattern) => pattern.test(text))
}

/** Whether a value is or has a credential, whatever it is for. */
export function isCredential(value: string): boolean {
  return URL_USER.test(value) || TOKEN.test(value)
}

/** The kernel's command line with hidden values where they may be credentials. */
export function hideKernelSecrets(commandLine: string): string {
  return commandLine
    .split(/\s+/)
    .map((word) => (KERNEL_WORD.test(word) || isCredential(word) ? `${word.replace(/=.*$/s, '')}=${HIDDEN_VALUE}` : word))
    .join(' ')
}
