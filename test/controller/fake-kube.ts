import { type KubeApi, KubeError, type KubeObject, type ListOptions, type PatchType } from '../../src/kube/kube-api.ts'

/** A KubeApi that keeps objects by path, and notes every request. No watches. */
export class FakeKube implements KubeApi {
  readonly objects = new Map<string, KubeObject>()
  readonly requests: string[] = []
  /** Thrown by the next request whose line (`POST /api/…`) begins so. */
  readonly failures: { readonly on: string; readonly error: Error }[] = []
  /** What the server makes of an object before it keeps it. */
  stored = (object: KubeObject): KubeObject => object
  #version = 100

  async get<T>(path: string): Promise<T> {
    this.#note(`GET ${path}`)
    return this.#found(path) as T
  }

  async create<T>(path: string, body: unknown): Promise<T> {
    const object = body as KubeObject
    this.#note(`POST ${path}/${object.metadata.name}`)
    const at = `${path}/${object.metadata.name}`
    if (this.objects.has(at)) throw refusal(409, 'AlreadyExists')
    return this.put(at, { ...object, metadata: { ...object.metadata, uid: `uid-${object.metadata.name}` } }) as T
  }

  async replace<T>(path: string, body: unknown): Promise<T> {
    this.#note(`PUT ${path}`)
    const at = path.replace(/\/status$/, '')
    const found = this.#found(at)
    const { metadata, ...rest } = body as KubeObject
    if (metadata.resourceVersion !== found.metadata.resourceVersion) throw refusal(409, 'Conflict')
    return this.put(at, { ...found, ...rest, metadata: at === path ? metadata : found.metadata }) as T
  }

  async patch<T>(path: string, body: unknown, options?: { readonly type?: PatchType }): Promise<T> {
    this.#note(`PATCH ${path}`)
    if (options?.type === 'apply' && !this.objects.has(path)) return this.put(path, body as KubeObject) as T
    const found = this.#found(path)
    const version = Array.isArray(body) ? body[1]?.value : (body as KubeObject).metadata.resourceVersion
    if (version !== undefined && version !== found.metadata.resourceVersion) throw refusal(409, 'Conflict')
    if (Array.isArray(body)) return this.put(path, { ...found, spec: body[0].value }) as T
    return this.put(path, merge(found, body) as KubeObject) as T
  }

  async delete(path: string, options?: { readonly body?: unknown }): Promise<void> {
    this.#note(`DELETE ${path}`)
    const { uid, resourceVersion } = this.#found(path).metadata
    const { preconditions = {} } = (options?.body ?? {}) as { preconditions?: { uid?: string; resourceVersion?: string } }
    if ((preconditions.uid ?? uid) !== uid || (preconditions.resourceVersion ?? resourceVersion) !== resourceVersion)
      throw refusal(409, 'Conflict')
    this.objects.delete(path)
  }

  async list<T>(path: string, { project, labelSelector, fieldSelector }: ListOptions<T>) {
    this.#note(`LIST ${path}`)
    const of = ({ metadata: { name, labels = {} } }: KubeObject) => ({ ...labels, 'metadata.name': name })
    const wanted = [labelSelector, fieldSelector].flatMap((each) => each?.split(',') ?? []).map((each) => each.split('='))
    const found = [...this.objects].filter(
      ([at, object]) => at.startsWith(`${path}/`) && wanted.every(([key = '', value]) => Object(of(object))[key] === value),
    )
    return { items: found.map(([, object]) => project(object)), resourceVersion: String(this.#version) }
  }

  follow(): never {
    throw new Error('follow nothing of the fake')
  }

  /** As if somebody else had written it. */
  put(path: string, object: KubeObject): KubeObject {
    this.#version += 1
    const stored = this.stored({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } })
    this.objects.set(path, stored)
    return stored
  }

  #found(path: string): KubeObject {
    const object = this.objects.get(path)
    if (!object) throw refusal(404, 'NotFound')
    return object
  }

  #note(line: string): void {
    this.requests.push(line)
    const at = this.failures.findIndex(({ on }) => line.startsWith(on))
    const [failure] = at === -1 ? [] : this.failures.splice(at, 1)
    if (failure) throw failure.error
  }
}

export function refusal(code: number, reason: string): KubeError {
  return new KubeError(`refused: ${reason}`, { code, reason })
}

function merge(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const merged = new Map(Object.entries((target ?? {}) as object))
  for (const [key, value] of Object.entries(patch))
    if (value === null) merged.delete(key)
    else merged.set(key, merge(merged.get(key), value))
  return Object.fromEntries(merged)
}
