export type Environment = Readonly<Record<string, string | undefined>>

/** A proxy that the environment states, and the variable that does. */
export interface StatedProxy {
  readonly variable: string
  /** May hold credentials. */
  readonly address: string
  /** Why it cannot be used, and what can. Absent: it can be. */
  readonly complaint?: string
}

/**
 * The proxy of requests to `url`, by `HTTPS_PROXY` or `HTTP_PROXY`. Node's HTTP client would ignore an address that it cannot use, and
 * `ALL_PROXY`, without a word: what was to go through the proxy would go around it.
 */
export function statedProxy({ protocol, hostname }: URL, environment: Environment): StatedProxy | undefined {
  const own = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const variable = [own.toLowerCase(), own, 'all_proxy', 'ALL_PROXY'].find((candidate) => environment[candidate])
  const address = variable && environment[variable]
  if (!variable || !address || isExempt(hostname, environment.no_proxy ?? environment.NO_PROXY ?? '')) return undefined
  const scheme = URL.canParse(address) ? new URL(address).protocol : ''
  if (/^https?:$/.test(scheme) && variable.toUpperCase() === own) return { variable, address }
  const complaint =
    `failed to use the proxy of ${variable} for "${hostname}": only ${own} with an address that begins with http:// or https:// is supported; ` +
    `set that, or name "${hostname}" in NO_PROXY`
  return { variable, address, complaint }
}

function isExempt(hostname: string, noProxy: string): boolean {
  return noProxy
    .split(',')
    .map((entry) => entry.trim().replace(/^\*?\./, ''))
    .some((entry) => entry === '*' || (entry !== '' && (hostname === entry || hostname.endsWith(`.${entry}`))))
}
