import { KubeError } from './kube-api.ts'

/** How far a request that failed came: the server answered or was met, its machine refused or closed the connection, or nobody was heard of. */
export type Reach = 'server' | 'machine' | 'nobody'

/** By the machine itself, or by a load balancer without a server behind it. */
const CLOSED = ['ECONNREFUSED', 'ECONNRESET']

/** Pure. */
export function reachOf(error: unknown): Reach {
  if (error instanceof KubeError && (error.code > 0 || error.wasMet)) return 'server'
  const { cause } = Object(error)
  return CLOSED.includes((cause as NodeJS.ErrnoException | undefined)?.code ?? '') ? 'machine' : 'nobody'
}

/** As from a server that answers, and says nothing: it is not missed after a change. */
export function refusal(message: string): KubeError {
  return new KubeError(message, { code: 403, reason: 'Forbidden' })
}
