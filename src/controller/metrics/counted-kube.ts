import { type KubeApi, KubeError } from '../../kube/kube-api.ts'

export interface CountedRequest {
  /** As audit logs have it: `get`, `create`, `update`, `patch`, `delete`, `list`. */
  readonly verb: string
  /** `nodes`, `pods/eviction`, `nodepools/status`. */
  readonly resource: string
  /** Of the answer; 0: there was none. */
  readonly code: number
  readonly seconds: number
}

/** Reports each request when it is answered, but for requests that the caller gives up. */
export function countedKube(
  kube: KubeApi,
  { elapsed, told }: { readonly elapsed: () => number; readonly told: (request: CountedRequest) => void },
): KubeApi {
  const counted = async <T>(verb: string, path: string, request: () => Promise<T>): Promise<T> => {
    const began = elapsed()
    const tell = (code: number): void => told({ verb, resource: resourceOf(path), code, seconds: (elapsed() - began) / 1000 })
    try {
      const answer = await request()
      tell(200)
      return answer
    } catch (error) {
      if (error instanceof KubeError) tell(error.code)
      throw error
    }
  }
  return {
    get: (path, options) => counted('get', path, () => kube.get(path, options)),
    create: (path, body, options) => counted('create', path, () => kube.create(path, body, options)),
    replace: (path, body, options) => counted('update', path, () => kube.replace(path, body, options)),
    patch: (path, body, options) => counted('patch', path, () => kube.patch(path, body, options)),
    delete: (path, options) => counted('delete', path, () => kube.delete(path, options)),
    list: (path, options) => counted('list', path, () => kube.list(path, options)),
    follow: (path, options) => kube.follow(path, options),
  }
}

/** `/api/v1/namespaces/a/pods/b/eviction`: names are left out, for there are as many as objects. */
export function resourceOf(path: string): string {
  const [, group, ...rest] = path.split('/')
  const inVersion = group === 'api' ? rest.slice(1) : group === 'apis' ? rest.slice(2) : []
  const inNamespace = inVersion[0] === 'namespaces' && inVersion.length > 2 ? inVersion.slice(2) : inVersion
  const [resource, , subresource] = inNamespace
  if (resource === undefined) return group ?? ''
  return subresource === undefined ? resource : `${resource}/${subresource}`
}
