import type { KubeError } from '../../kube/kube-api.ts'

/** A conflict though nothing has changed, as of a webhook or a restored server: nothing comes that would be decided upon. */
export function unfounded(conflict: KubeError): Error {
  return new Error(conflict.message, { cause: conflict })
}
