import { type KubeApi, KubeError, type RequestOptions } from '../../kube/kube-api.ts'
import type { Term } from './leader-elector.ts'

/**
 * Lets writes pass for as long as the term holds, and none after it. What is sent just before, and arrives late, is kept from
 * harm by the preconditions that every write carries.
 */
export function fencedKube(kube: KubeApi, term: Term): KubeApi {
  function fenced<Options extends RequestOptions>(path: string, options: Options | undefined): Options & RequestOptions {
    if (term.signal.aborted || !term.holds()) throw notLeading(path)
    const signal = options?.signal ? AbortSignal.any([options.signal, term.lost]) : term.lost
    return { ...(options as Options), signal }
  }
  return {
    get: (path, options) => kube.get(path, options),
    create: async (path, body, options) => kube.create(path, body, fenced(path, options)),
    replace: async (path, body, options) => kube.replace(path, body, fenced(path, options)),
    patch: async (path, body, options) => kube.patch(path, body, fenced(path, options)),
    delete: async (path, options) => kube.delete(path, fenced(path, options)),
    list: (path, options) => kube.list(path, options),
    follow: (path, options) => kube.follow(path, options),
  }
}

/** As if the server were away: then, too, a pass stops at its first write. */
function notLeading(path: string): KubeError {
  return new KubeError(`write "${path}": this process no longer leads`, { code: 0, reason: 'NotLeading' })
}
