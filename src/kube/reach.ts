import { KubeError } from './kube-api.ts'

/** How far a request that failed came: the server answered, its machine refused the connection, or nobody was heard of. */
export type Reach = 'server' | 'machine' | 'nobody'

/** Pure. */
export function reachOf(error: unknown): Reach {
  if (error instanceof KubeError && error.code > 0) return 'server'
  const { cause } = Object(error)
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED' ? 'machine' : 'nobody'
}

/** As from a server that answers, and says nothing: it is not missed after a change. */
export function refusal(message: string): KubeError {
  return new KubeError(message, { code: 403, reason: 'Forbidden' })
}
