import { createHmac, timingSafeEqual } from 'node:crypto'

export interface KnownHostKey {
  readonly type: string
  readonly blob: Buffer
}

/** The keys that a file of known hosts has for a host, without those that it revokes; `man sshd`, SSH_KNOWN_HOSTS FILE FORMAT. */
export function knownHostKeys(
  text: string,
  { host, port }: { readonly host: string; readonly port: number },
): readonly KnownHostKey[] {
  const name = (port === 22 ? host : `[${host}]:${port}`).toLowerCase()
  const lines = text.split('\n').flatMap((line) => parseLine(line.trim()))
  const own = lines.filter(({ hosts }) => matches(hosts, name))
  const revoked = lines.filter(({ marker }) => marker === '@revoked').map(({ blob }) => blob)
  // Certificates of hosts (`@cert-authority`) are not supported: such a line knows no key.
  return own
    .filter(({ marker }) => marker === undefined)
    .filter(({ blob }) => !revoked.some((other) => other.equals(blob)))
    .map(({ type, blob }) => ({ type, blob }))
}

interface Line extends KnownHostKey {
  readonly marker: string | undefined
  readonly hosts: string
}

function parseLine(line: string): Line[] {
  const fields = line.split(/\s+/)
  const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined
  const [hosts = '', type = '', base64] = fields
  if (hosts === '' || hosts.startsWith('#') || base64 === undefined) return []
  return [{ marker, hosts, type, blob: Buffer.from(base64, 'base64') }]
}

function matches(hosts: string, name: string): boolean {
  if (hosts.startsWith('|1|')) return isHashOf(hosts, name)
  const patterns = hosts.toLowerCase().split(',')
  const isLike = (pattern: string) => asExpression(pattern).test(name)
  if (patterns.some((pattern) => pattern.startsWith('!') && isLike(pattern.slice(1)))) return false
  return patterns.some((pattern) => !pattern.startsWith('!') && isLike(pattern))
}

function isHashOf(field: string, name: string): boolean {
  const [, , salt = '', hash = ''] = field.split('|')
  const actual = createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest()
  const expected = Buffer.from(hash, 'base64')
  return expected.length === actual.length && timingSafeEqual(actual, expected)
}

function asExpression(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`)
}
