import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS } from '../../protocol/names.ts'
import { configMapsPath } from '../cache/stored-config-map.ts'
import { filterIn, type SentRecord, sentIn, textOf } from './sent-record.ts'

const KEYS = { told: 'told', filter: 'filter' }
const PREFIX = 'nodewave-notified-'

/** What was sent to a channel, in a ConfigMap of its own: another controller goes on there. */
export class SentStore {
  readonly #kube: KubeApi
  readonly #namespace: string
  readonly #name: string
  #version: string | undefined

  constructor({ kube, namespace, channel }: { readonly kube: KubeApi; readonly namespace: string; readonly channel: string }) {
    this.#kube = kube
    this.#namespace = namespace
    this.#name = `${PREFIX}${channel}`
  }

  /** @returns undefined for a channel that got nothing yet */
  async read(signal: AbortSignal): Promise<SentRecord | undefined> {
    try {
      const { metadata, data } = await this.#kube.get<KubeObject>(this.#path, { signal })
      this.#version = metadata.resourceVersion
      const { [KEYS.told]: told, [KEYS.filter]: filter } = (data ?? {}) as Readonly<Record<string, string | undefined>>
      return { told: sentIn(told), filter: filterIn(filter) }
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 404)) throw error
      this.#version = undefined
      return undefined
    }
  }

  /** @throws {KubeError} also when somebody else wrote it meanwhile: then it is to be read again */
  async write({ told, filter }: SentRecord, signal: AbortSignal): Promise<void> {
    const data = { [KEYS.told]: textOf(told), [KEYS.filter]: JSON.stringify(filter) }
    const labels = { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.kind]: 'notified' }
    const collection = configMapsPath(this.#namespace)
    const body = { metadata: { name: this.#name, labels, resourceVersion: this.#version }, data }
    const written =
      this.#version === undefined
        ? await this.#kube.create<KubeObject>(collection, { apiVersion: 'v1', kind: 'ConfigMap', ...body }, { signal })
        : await this.#kube.patch<KubeObject>(this.#path, body, { signal })
    this.#version = written.metadata.resourceVersion
  }

  get #path(): string {
    return configMapsPath(this.#namespace, this.#name)
  }
}
