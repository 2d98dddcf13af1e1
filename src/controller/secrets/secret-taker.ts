import { createHash, createHmac } from 'node:crypto'
import { canonicalJson } from '../../protocol/digest.ts'
import type { TakenValue } from '../../protocol/repo-snapshot.ts'
import { formatLocation } from '../../repo/problem.ts'
import { refText, type SecretRef } from '../../repo/secret-ref.ts'
import type { ClusterSecret } from '../cache/cluster-secret.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { PlacedRef } from '../fleet/compiled-fleet.ts'
import type { HashKey } from './hash-key.ts'

/** Contents of Secrets at one moment; or why they are not to be had, one line each. */
export type Taken = {
  /** The objects that were looked at. */
  readonly seen: readonly unknown[]
} & (
  | { readonly kind: 'taken'; readonly id: string; readonly values: ReadonlyMap<string, TakenValue> }
  | { readonly kind: 'missing'; readonly problems: readonly string[] }
)

export interface SecretTakerOptions {
  /** Where people write Secrets for hosts. */
  readonly namespace: string
  readonly secrets: Pick<ObjectCache<ClusterSecret>, 'get'>
  readonly key: Pick<HashKey, 'get'>
}

/** Bytes of one revision. They are kept as one Secret, which holds 1 MiB, as base64. */
const MAX_BYTES = 700 * 1024

/** Takes contents of Secrets of the cluster, which then belong to a revision as the files of its commit do. */
export class SecretTaker {
  readonly #options: SecretTakerOptions

  constructor(options: SecretTakerOptions) {
    this.#options = options
  }

  /** The objects as they are now: the same ones as before when nothing has changed. */
  look(refs: readonly SecretRef[]): readonly unknown[] {
    return refs.map(({ name }) => this.#options.secrets.get(name))
  }

  /** @throws {KubeError} when the key of the hashes cannot be had */
  async take(refs: readonly PlacedRef[]): Promise<Taken> {
    const key = await this.#options.key.get()
    const seen = this.look(refs)
    const problems = refs.flatMap((ref) => this.#problemOf(ref) ?? [])
    if (problems.length > 0) return { kind: 'missing', problems, seen }
    const values = new Map(refs.map((ref) => [refText(ref), takenValue(this.#base64(ref), { ref, key })]))
    const size = [...values.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
    const tooMuch = `the values of Secrets that the commit names have ${size} bytes; expected at most ${MAX_BYTES}`
    return size > MAX_BYTES ? { kind: 'missing', problems: [tooMuch], seen } : { kind: 'taken', id: idOf(values), values, seen }
  }

  #problemOf({ name, key, where }: PlacedRef): string | undefined {
    const { namespace, secrets } = this.#options
    const found = secrets.get(name)
    const at = formatLocation(where)
    if (!found) return `${at}: Secret "${name}" is missing in namespace "${namespace}"; create it there`
    if (Object.hasOwn(found.data, key)) return undefined
    return `${at}: Secret "${name}" in namespace "${namespace}" has no key "${key}"; add it there`
  }

  #base64({ name, key }: SecretRef): string {
    return this.#options.secrets.get(name)?.data[key] ?? ''
  }
}

/** The hash is of this Secret and key, too: equal contents of others do not show as equal. */
function takenValue(base64: string, { ref, key }: { readonly ref: SecretRef; readonly key: Buffer }): TakenValue {
  const bytes = Buffer.from(base64, 'base64')
  const hash = createHmac('sha256', key)
    .update(`${refText(ref)}\0`)
    .update(bytes)
    .digest('hex')
    .slice(0, 32)
  return { bytes, hash }
}

/** Made of keyed hashes, so that it may be shown. */
function idOf(values: ReadonlyMap<string, TakenValue>): string {
  const hashes = Object.fromEntries([...values].map(([ref, { hash }]) => [ref, hash]))
  return createHash('sha256').update(canonicalJson(hashes)).digest('hex').slice(0, 8)
}
