import type { PrometheusAccess } from '../../controller/gates/prometheus.ts'
import { secretLine } from '../../notify/secret-line.ts'

export interface PrometheusOptions {
  /** Whom the token is for; scheme, host and port count. */
  readonly prometheusUrl?: string
  readonly prometheusTokenFile?: string
}

/**
 * A token is bound to one origin by who starts the controller: whoever may write to the repository could else have it sent anywhere.
 * @throws {Error} when one is stated without the other, or the URL is none
 */
export function prometheusAccess({ prometheusUrl, prometheusTokenFile }: PrometheusOptions): PrometheusAccess | undefined {
  if (prometheusUrl === undefined && prometheusTokenFile === undefined) return undefined
  if (prometheusUrl === undefined || prometheusTokenFile === undefined)
    throw new Error('--prometheus-url and --prometheus-token-file need each other: only that server gets the token')
  const origin = originOf(prometheusUrl)
  return { origin, token: () => secretLine(prometheusTokenFile) }
}

function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:')
    throw new Error(`--prometheus-url "${url}": expected a URL such as "https://prometheus.example.com"`)
  return parsed.origin
}
