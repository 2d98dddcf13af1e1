import { Buffer } from 'node:buffer'
import * as z from 'zod'
import { KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { canonicalJson, digestOf } from '../../protocol/digest.ts'
import { revisionSecretName } from '../../protocol/names.ts'
import type { TakenValue } from '../../protocol/repo-snapshot.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import { storedPath } from '../cache/stored-config-map.ts'
import type { ConfigMapStore } from '../config-maps/config-map-store.ts'
import { ensurePayloads } from '../config-maps/payloads.ts'
import { reclaim, sweep } from '../config-maps/sweep.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'
import { RevisionError } from './revision-error.ts'

const DATA_KEY = 'contents'
const contents = z.record(z.string(), z.strictObject({ base64: z.base64(), hash: z.string() }))

/** What revisions took from Secrets of the cluster, each in an immutable Secret beside its documents: a rollback needs what there was. */
export class RevisionSecrets {
  readonly #store: ConfigMapStore

  constructor(store: ConfigMapStore) {
    this.#store = store
  }

  /** @throws {KubeError} when it cannot be written */
  async put(revision: string, values: ReadonlyMap<string, TakenValue>): Promise<void> {
    const stored = [...values].map(([ref, { bytes, hash }]) => [ref, { base64: Buffer.from(bytes).toString('base64'), hash }])
    const data = { [DATA_KEY]: canonicalJson(Object.fromEntries(stored)) }
    const payload = { name: revisionSecretName(revision), kind: 'revision', data, digest: digestOf(data) }
    await ensurePayloads(this.#store, { payloads: new Map([[payload.name, payload]]), revision })
  }

  /** Of what is kept, as far as the watch has told. */
  versionOf(revision: string): string | undefined {
    return this.#store.configMaps.get(revisionSecretName(revision))?.resourceVersion
  }

  /** @throws {RevisionError} when it is not kept, or cannot be read */
  async load(revision: string): Promise<ReadonlyMap<string, TakenValue>> {
    const name = revisionSecretName(revision)
    const { data = {} } = await this.#get(name)
    try {
      const parsed = contents.parse(JSON.parse(Buffer.from(data[DATA_KEY] ?? '', 'base64').toString()))
      return new Map(
        Object.entries(parsed).map(([ref, { base64, hash }]) => [ref, { bytes: Buffer.from(base64, 'base64'), hash }]),
      )
    } catch {
      // The parser's words would quote what stands there.
      throw new RevisionError(`Secret "${name}" of revision "${revision}" is unreadable`)
    }
  }

  async #get(name: string): Promise<{ readonly data?: Readonly<Record<string, string>> }> {
    try {
      return await this.#store.kube.get<KubeObject & { data?: Record<string, string> }>(storedPath(this.#store, name))
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 404)) throw error
      throw new RevisionError(`Secret "${name}" is not kept in namespace "${this.#store.namespace}"`, { cause: error })
    }
  }

  async collect(revisions: readonly string[], now: Instant): Promise<{ readonly isDone: boolean }> {
    const names = new Set(revisions.map(revisionSecretName))
    return sweep(this.#store, { isNeeded: ({ name }) => names.has(name), now })
  }

  async reclaim(needed: ReadonlySet<string>): Promise<void> {
    const secrets = [...this.#store.configMaps.items.values()].filter(({ revision }) => needed.has(revision))
    const failed = await forEach(secrets, {}, (secret) => reclaim(this.#store, secret))
    throwFirst([...failed.values()])
  }
}
