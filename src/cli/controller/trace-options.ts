import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { sendSpansTo } from '../../controller/traces/send-spans.ts'
import type { SendSpans } from '../../controller/traces/tracer.ts'
import { VERSION } from '../../protocol/version.ts'
import { hasLogin, LOGIN_REFUSED } from '../../remote/post.ts'

export interface TraceOptions {
  readonly tracesUrl?: string
  readonly tracesHeadersFile?: string
}

interface Subject {
  readonly cwd: string
  readonly cluster?: string
  readonly insecureHttp?: boolean
}

export function addTraceOptions(command: Command): Command {
  return command
    .option('--traces-url <url>', 'send a trace of each rollout to this collector, as OTLP/HTTP with JSON. Default: off')
    .option('--traces-headers-file <file>', 'file with headers for that collector, "name: value" a line')
}

/** @returns undefined without a URL. @throws {Error} saying which option is wrong or missing. */
export async function tracesOf(options: TraceOptions & Subject): Promise<SendSpans | undefined> {
  const { tracesUrl: url, tracesHeadersFile: file, cwd, cluster, insecureHttp = false } = options
  if (url === undefined) {
    if (file !== undefined) throw new Error('--traces-headers-file needs --traces-url')
    return undefined
  }
  if (URL.canParse(url) && hasLogin(url)) throw new Error(`--traces-url: ${LOGIN_REFUSED}: --traces-headers-file`)
  const protocol = URL.canParse(url) ? new URL(url).protocol : ''
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new Error(`--traces-url "${url}": expected a URL such as http://collector.monitoring:4318/v1/traces`)
  if (protocol === 'http:' && file !== undefined && !insecureHttp)
    throw new Error(`refuse to send headers to "${url}", which everybody on the way can read; use https, or --insecure-http`)
  const headers = async () => (file === undefined ? {} : await readHeaders(resolve(cwd, file)))
  await headers()
  const resource = {
    'service.name': 'nodewave',
    'service.version': VERSION,
    ...(cluster !== undefined && { 'k8s.cluster.name': cluster }),
  }
  return sendSpansTo({ url, headers, resource, now: Date.now })
}

/** @throws {Error} with the number of a line, and nothing of what it says */
async function readHeaders(path: string): Promise<Readonly<Record<string, string>>> {
  const lines = (await readFile(path, 'utf8')).split('\n').map((line) => line.trim())
  const pairs = lines.flatMap((line, index): [string, string][] => {
    if (line === '') return []
    const [, name, value] = /^([A-Za-z0-9-]+):\s*([ -~]+)$/.exec(line) ?? []
    if (name === undefined || value === undefined) throw new Error(`"${path}", line ${index + 1}: expected "name: value"`)
    return [[name.toLowerCase(), value]]
  })
  return Object.fromEntries(pairs)
}
