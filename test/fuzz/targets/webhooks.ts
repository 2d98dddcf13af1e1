import { createHmac } from 'node:crypto'
import { type DeliveryContext, judgeDelivery } from '../../../src/forge/webhook/judge-delivery.ts'

const SECRET = 'a secret of sixteen'
const CONTEXT: DeliveryContext = {
  ...{ repository: 'platform/fleet', refs: 'refs/heads/main', secrets: [SECRET] },
  now: Date.parse('2026-01-01T00:00:00Z'),
}

/** Lines of headers, an empty line, and a body: of nobody who knows the secret, and then of somebody who does. */
export function webhooks(input: Buffer): void {
  const end = input.indexOf('\n\n')
  const lines = input.toString('latin1', 0, end === -1 ? input.length : end).split('\n')
  const headers = Object.fromEntries(lines.map((line) => headerOf(line)))
  const body = end === -1 ? Buffer.alloc(0) : input.subarray(end + 2)
  const stranger = judgeDelivery({ headers: { ...headers, 'x-gitlab-token': 'a secret of seventeen' }, body }, CONTEXT)
  if (stranger.kind !== 'refused') throw new Error(`a delivery that nobody signed is ${stranger.kind}`)
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
  const own = judgeDelivery({ headers: { ...headers, 'x-hub-signature-256': signature }, body }, CONTEXT)
  if (own.kind === 'refused' && own.status === 401) throw new Error('a delivery that is signed is refused')
}

function headerOf(line: string): readonly [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
}
