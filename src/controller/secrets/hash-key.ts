import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'

const NAME = 'nodewave-hash-key'
const BYTES = 32

/** The key of the hashes that tell contents apart, which only the controller may read; made when it is first needed. */
export class HashKey {
  readonly #kube: KubeApi
  readonly #namespace: string
  #known: Buffer | undefined

  constructor({ kube, namespace }: { readonly kube: KubeApi; readonly namespace: string }) {
    this.#kube = kube
    this.#namespace = namespace
  }

  /** @throws {KubeError} when it cannot be read or made */
  async get(): Promise<Buffer> {
    this.#known ??= (await this.#read()) ?? (await this.#make())
    return this.#known
  }

  async #read(): Promise<Buffer | undefined> {
    try {
      return keyIn(await this.#kube.get<KubeObject>(`${this.#path}/${NAME}`))
    } catch (error) {
      if (error instanceof KubeError && error.code === 404) return undefined
      throw error
    }
  }

  async #make(): Promise<Buffer> {
    const labels = { [OBJECT_KEYS.managedBy]: MANAGER }
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: NAME, namespace: this.#namespace, labels },
      immutable: true,
      data: { key: randomBytes(BYTES).toString('base64') },
    }
    return keyIn(await this.#kube.create<KubeObject>(this.#path, body))
  }

  get #path(): string {
    return `/api/v1/namespaces/${this.#namespace}/secrets`
  }
}

/** @throws {Error} for one that somebody else made: hashes with a short key could be tried out */
function keyIn({ data }: KubeObject): Buffer {
  const key = Buffer.from((data as { key?: string } | undefined)?.key ?? '', 'base64')
  if (key.length >= BYTES) return key
  throw new Error(`Secret "${NAME}" has no key of ${BYTES} bytes; delete it, and the controller makes another`)
}
