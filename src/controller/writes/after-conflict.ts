import { KubeError } from '../../kube/kube-api.ts'
import type { Cached, ObjectCache } from '../cache/object-cache.ts'

/**
 * Of a write that was based on the version of `known`. The watch may be behind, perhaps for long: then the object is read again, or what was
 * refused would be written again and again.
 * @param refresh puts into `objects` what the API server has of it
 * @returns what to throw: the conflict when another version is known by then, which is decided upon
 * @throws {KubeError} when it cannot be read
 */
export async function afterConflict<T extends Cached>(
  known: Pick<Cached, 'name' | 'resourceVersion'>,
  { objects, refresh }: { readonly objects: ObjectCache<T>; readonly refresh: () => Promise<unknown> },
  conflict: KubeError,
): Promise<Error> {
  const isAsKnown = (): boolean => objects.get(known.name)?.resourceVersion === known.resourceVersion
  objects.refused(known.name, known.resourceVersion)
  if (isAsKnown()) await refresh()
  return isAsKnown() ? unfounded(conflict) : conflict
}

/** A conflict though nothing has changed, as of a webhook or a restored server: nothing comes that would be decided upon. */
export function unfounded(conflict: KubeError): Error {
  return new Error(conflict.message, { cause: conflict })
}

/** No refusal: it is decided again, and the next write creates it, or leaves it. */
export function gone(what: string, cause: KubeError): KubeError {
  return new KubeError(`${what} is gone`, { code: 409, reason: 'Gone', cause })
}
