import type { NodeApi } from '../ports.ts'

/** The API server while nobody knows how to reach it: every request fails with `cause`. */
export function unreachableNodeApi(cause: Error): NodeApi {
  const refuse = async (): Promise<never> => {
    throw cause
  }
  return {
    follow: () => ({ [Symbol.asyncIterator]: () => ({ next: refuse }) }),
    get: refuse,
    leaseRenewed: refuse,
    annotate: refuse,
    configMap: refuse,
    mirrorPod: refuse,
    secret: refuse,
  }
}
