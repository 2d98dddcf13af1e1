import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'

const PAGE = join(import.meta.dirname, 'page')
const SCRIPTS = [
  'action',
  'command-list',
  'commands',
  'dom',
  'fleet',
  'node-changes',
  'node-dialog',
  'page',
  'plan',
  'plan-answer',
  'pool-card',
  'session',
  'squares',
  'timeline',
  'timeline-marks',
]
const STYLES = ['page', 'parts']
const ASSETS: ReadonlyMap<string, { readonly file: string; readonly type: string }> = new Map([
  ['/', { file: 'index.html', type: 'text/html; charset=utf-8' }],
  ...SCRIPTS.map((name) => [`/${name}.js`, { file: `${name}.js`, type: 'text/javascript; charset=utf-8' }] as const),
  ...STYLES.map((name) => [`/${name}.css`, { file: `${name}.css`, type: 'text/css; charset=utf-8' }] as const),
])

/** Of every answer. */
export const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; img-src data:; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export interface Answer {
  readonly status: number
  readonly body: string | Buffer
  readonly type?: string
}

export function answer(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8' }: Answer): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { ...HEADERS, 'content-type': type })
  response.end(body)
}

/** @returns undefined where the page has no such part */
export async function assetAt(path: string): Promise<Answer | undefined> {
  const asset = ASSETS.get(path)
  return asset && { status: 200, type: asset.type, body: await readFile(join(PAGE, asset.file)) }
}
