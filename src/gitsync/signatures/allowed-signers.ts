import { readSshKey, type SshPublicKey } from './ssh-key.ts'

/** A line of the file that `gpg.ssh.allowedSignersFile` of Git names; `man ssh-keygen`, ALLOWED SIGNERS. */
export interface AllowedSigner {
  readonly principals: string
  readonly key: SshPublicKey
  /** What the line limits the key to, for people. */
  readonly limits: string
  mayAt(namespace: string, instants: readonly number[]): boolean
}

interface Limits {
  readonly namespaces?: readonly string[]
  readonly after?: number
  readonly before?: number
}

/** A key's own type comes before it; what stands there otherwise are options. */
const KEY_TYPE = /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+$/i

/** A line of allowed signers in a file of OpenPGP keys: nobody would look for it there. @returns its number */
export function signersBeside(text: string): number | undefined {
  const line = text
    .split(/\r?\n/)
    .findIndex((each) => !/^\s*#/.test(each) && fieldsOf(each).some((field) => KEY_TYPE.test(field)))
  return line === -1 ? undefined : line + 1
}

/** @throws {Error} with the number of the line */
export function parseAllowedSigners(text: string): readonly AllowedSigner[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return []
    try {
      return [parseLine(line.trim())]
    } catch (cause) {
      throw new Error(`line ${index + 1}: ${(cause as Error).message}`, { cause })
    }
  })
}

function parseLine(line: string): AllowedSigner {
  const [principals, ...rest] = fieldsOf(line)
  const [options, type, base64] = KEY_TYPE.test(rest[0] ?? '') ? ['', ...rest] : rest
  if (!principals || options === undefined || !type || !base64)
    throw new Error('expected principals, options if there are any, the type of a key and the key')
  const limits = limitsOf(options)
  const blob = Buffer.from(base64, 'base64')
  if (blob.toString('base64').replace(/=+$/, '') !== base64.replace(/=+$/, '')) throw new Error('the key is damaged')
  const key = readSshKey(blob)
  if (key.type !== type) throw new Error(`the key is of type "${key.type}", and the line says "${type}"`)
  return {
    principals: principals.replaceAll('"', ''),
    key,
    limits: options === '' ? 'none' : options,
    mayAt: (namespace, instants) => isWithin(limits, namespace, instants),
  }
}

function isWithin({ namespaces, after, before }: Limits, namespace: string, instants: readonly number[]): boolean {
  if (namespaces && !matches(namespaces, namespace)) return false
  return instants.every((instant) => (after === undefined || instant >= after) && (before === undefined || instant < before))
}

/** As in `ssh_config`: `*` and `?`, and what a pattern with `!` matches is out. */
function matches(patterns: readonly string[], value: string): boolean {
  const isLike = (pattern: string) => {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    return new RegExp(`^${source}$`).test(value)
  }
  const [not, those] = [patterns.filter((one) => one.startsWith('!')), patterns.filter((one) => !one.startsWith('!'))]
  return those.some(isLike) && !not.some((one) => isLike(one.slice(1)))
}

/** Fields apart by blanks; in double quotes, blanks belong to them. */
function fieldsOf(line: string): readonly string[] {
  return line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []
}

function limitsOf(options: string): Limits {
  const limits: { namespaces?: readonly string[]; after?: number; before?: number } = {}
  for (const option of options.match(/(?:"[^"]*"|[^,"])+/g) ?? []) {
    const [name = '', ...rest] = option.split('=')
    const value = rest.join('=').replace(/^"(.*)"$/, '$1')
    if (name.toLowerCase() === 'namespaces') limits.namespaces = value.split(',')
    else if (name.toLowerCase() === 'valid-after') limits.after = instantOf(value)
    else if (name.toLowerCase() === 'valid-before') limits.before = instantOf(value)
    else throw new Error(`the option "${name}" is not supported; use namespaces, valid-after and valid-before`)
  }
  return limits
}

/** `YYYYMMDD[Z]` or `YYYYMMDDHHMM[SS][Z]`; without `Z` in the time zone of this machine. */
function instantOf(value: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = ''] =
    /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z)?$/.exec(value) ?? []
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  if (Number.isNaN(instant)) throw new Error(`"${value}" is no time; expected one such as 20270131 or 202701311200Z`)
  return instant
}
