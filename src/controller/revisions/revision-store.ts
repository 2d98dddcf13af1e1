import { Buffer } from 'node:buffer'
import { type KubeApi, KubeError, type KubeObject } from '../../kube/kube-api.ts'
import { MANAGER, OBJECT_KEYS, REVISION_KEYS, revisionName } from '../../protocol/names.ts'
import type { RepoSnapshot, TakenValue } from '../../protocol/repo-snapshot.ts'
import { commitOf, partsOf } from '../../protocol/revision-id.ts'
import type { Instant } from '../../rollout/model/instant.ts'
import type { ObjectCache } from '../cache/object-cache.ts'
import type { StoredConfigMap } from '../cache/stored-config-map.ts'
import { configMapsPath, projectConfigMap } from '../cache/stored-config-map.ts'
import { afterCreation } from '../config-maps/adopt.ts'
import { annotate } from '../config-maps/annotate.ts'
import { deleteVersion, reclaim, sweep } from '../config-maps/sweep.ts'
import { forEach, throwFirst } from '../writes/for-each.ts'
import type { Compression } from './compression.ts'
import { packRevision, unpackRevision } from './revision-document.ts'
import { RevisionError } from './revision-error.ts'
import type { RevisionSecrets } from './revision-secrets.ts'

/** An accepted revision that is wholly in the cluster. */
export interface KeptRevision {
  readonly commit: string
  /** Grows with each acceptance. */
  readonly sequence: number
  /** Absent: an earlier release kept it. */
  readonly acceptedAt?: Instant
  readonly sha256: string
  /** Names of its ConfigMaps, in order. */
  readonly parts: readonly string[]
}

export interface Retention {
  /** Commits that stay however old they are. */
  readonly needed: ReadonlySet<string>
  /** How many of the last accepted stay. */
  readonly limit: number
  readonly now: Instant
}

export interface RevisionStoreOptions {
  readonly kube: KubeApi
  readonly namespace: string
  readonly configMaps: ObjectCache<StoredConfigMap>
  readonly now: () => Instant
  /** What revisions took from Secrets. Absent: none does. */
  readonly secrets?: RevisionSecrets | undefined
  /** Default: on threads. */
  readonly compression?: Compression | undefined
}

/** 11 MB, compressed. Ten commits of that are a tenth of what the cluster's database may hold by default. */
const MOST_PARTS = 16

const LABELS = { [OBJECT_KEYS.managedBy]: MANAGER, [OBJECT_KEYS.kind]: 'revision' }

/**
 * Each process that comes to lead begins to count at the next multiple: what one before it has still under way, and arrives late, has
 * a lower number, and is never taken for the last accepted. Or by the clock, where that is ahead: newer ones than the last that is kept
 * may be gone, and somebody may restore them.
 */
const STRIDE = 1000

/**
 * Accepted revisions, kept in immutable ConfigMaps: a controller that starts on an empty disk with the repository out of
 * reach still knows what to bring nodes to, and what to bring them back to.
 */
export class RevisionStore {
  readonly #options: RevisionStoreOptions
  /** The greatest number that this process gave. */
  #given = 0

  constructor(options: RevisionStoreOptions) {
    this.#options = options
  }

  /** Complete revisions, the last accepted first. */
  list(): KeptRevision[] {
    return keptRevisions(this.#options.configMaps.items.values())
  }

  /** Another one when somebody has written to it, or restored it; undefined: it is not kept. */
  versionOf(commit: string): string | undefined {
    const { configMaps, secrets } = this.#options
    const kept = this.list().find((revision) => revision.commit === commit)
    const parts = kept?.parts.map((name) => configMaps.get(name)?.resourceVersion)
    return parts && [...parts, hasContents(commit) && secrets?.versionOf(commit)].join()
  }

  /**
   * Makes the snapshot the last accepted. Writes nothing when it is that already. Killed in between, what is missing is
   * written the next time; until then the revision is not listed. After a conflict at once, upon what is known then: the commit before would
   * be rolled out meanwhile.
   * @param isReadable false: what is kept of it is to be written again
   */
  async put(snapshot: RepoSnapshot, { isReadable = true } = {}): Promise<void> {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await this.#putOnce(snapshot, isReadable)
      } catch (error) {
        if (attempt > MOST_PARTS || !(error instanceof KubeError && error.reaction === 'conflict')) throw error
      }
  }

  async #putOnce({ secrets, ...snapshot }: RepoSnapshot, isReadable: boolean): Promise<void> {
    // Before the documents: a revision that is listed is whole. Also when it was there, for somebody may have deleted it.
    if (secrets) await this.#options.secrets?.put(snapshot.commit, secrets)
    const kept = this.list()
    const known = kept.find((revision) => revision.commit === snapshot.commit)
    if (isReadable && known && known === kept[0]) return
    const acceptedAt = this.#options.now()
    const accepted = { sequence: this.#next(kept[0]?.sequence ?? 0, acceptedAt), acceptedAt }
    // Before it is written: what has no answer may arrive after the commit that takes its place.
    this.#given = accepted.sequence
    if (isReadable && known) await this.#renumber(known, accepted)
    else await this.#write(snapshot, accepted)
    this.#refuseLoss(snapshot.commit)
  }

  /** A webhook may change what is written. What is not listed then would be written again in each pass, and nobody who leads next would find it. */
  #refuseLoss(commit: string): void {
    if (this.list().some((revision) => revision.commit === commit)) return
    const name = revisionName(commit, 0)
    throw new Error(
      `the API server does not keep the labels and annotations of "${name}" as written; correct the webhook that changes them`,
    )
  }

  #next(last: number, now: Instant): number {
    if (this.#given > 0) return Math.max(last, this.#given) + 1
    return Math.max(now, (Math.floor(last / STRIDE) + 1) * STRIDE + 1)
  }

  /** @throws {RevisionError} when it is not kept, or cannot be read. */
  async load(commit: string): Promise<RepoSnapshot> {
    const kept = this.list().find((revision) => revision.commit === commit)
    if (!kept) throw new RevisionError(`revision "${commit}" is not kept in namespace "${this.#options.namespace}"`)
    const parts = await Promise.all(kept.parts.map((name) => this.#readPart(name)))
    const snapshot = await unpackRevision({ parts, sha256: kept.sha256 }, this.#options.compression)
    if (snapshot.commit !== commit) throw new RevisionError(`documents of "${commit}" are kept under "${snapshot.commit}"`)
    return hasContents(commit) ? { ...snapshot, secrets: await this.#secretsOf(commit) } : snapshot
  }

  /** Sweeps away the parts of every revision that is neither among the last `limit` nor in `needed`, and parts that never became whole. */
  async collect({ needed, limit, now }: Retention): Promise<{ readonly isDone: boolean }> {
    const kept = this.list().filter((revision, index) => index < limit || needed.has(revision.commit))
    const names = new Set(kept.flatMap((revision) => revision.parts))
    const swept = await sweep(this.#options, { isNeeded: ({ name }) => names.has(name), now })
    const secrets = await this.#options.secrets?.collect(
      kept.map(({ commit }) => commit),
      now,
    )
    return { isDone: swept.isDone && secrets?.isDone !== false }
  }

  /** Those that a sweep has marked, and that are needed after all. */
  async reclaim(needed: ReadonlySet<string>): Promise<void> {
    const maps = [...this.#options.configMaps.items.values()].filter(({ revision }) => needed.has(revision))
    const failed = await forEach(maps, {}, (map) => reclaim(this.#options, map))
    await this.#options.secrets?.reclaim(needed)
    throwFirst([...failed.values()])
  }

  async #secretsOf(revision: string): Promise<ReadonlyMap<string, TakenValue>> {
    const { secrets } = this.#options
    if (!secrets) throw new RevisionError(`revision "${revision}" has Secrets; start the controller with --secrets-namespace`)
    return secrets.load(revision)
  }

  async #write(snapshot: RepoSnapshot, accepted: Accepted): Promise<void> {
    const { kube, namespace, configMaps, compression } = this.#options
    const packed = await packRevision(snapshot, compression)
    if (packed.parts.length > MOST_PARTS)
      throw new RevisionError(
        `the documents of commit "${snapshot.commit}" take ${packed.parts.length} ConfigMaps, and at most ${MOST_PARTS} are kept of one commit; put smaller files onto hosts`,
      )
    for (const [index, bytes] of packed.parts.entries()) {
      const name = revisionName(snapshot.commit, index)
      const left = configMaps.get(name)
      if (left && left.revision !== '' && left.revision !== snapshot.commit)
        throw new RevisionError(
          `commit "${snapshot.commit}" begins like "${left.revision}", whose documents are kept as "${name}"`,
        )
      // What an earlier attempt left behind may have been compressed by another version of zlib, and would not fit together with ours.
      if (left) await deleteVersion(this.#options, left)
      const annotations = annotationsOf(snapshot, { index, count: packed.parts.length, sha256: packed.sha256, ...accepted })
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels: LABELS, annotations },
        immutable: true,
        binaryData: { documents: bytes.toString('base64') },
      }
      const created = await kube.create<KubeObject>(configMapsPath(namespace), body).catch(async (error: unknown) => {
        throw await afterCreation(this.#options, { name, revision: snapshot.commit, labels: LABELS }, error)
      })
      configMaps.wrote(projectConfigMap(created))
    }
  }

  async #renumber(revision: KeptRevision, accepted: Accepted): Promise<void> {
    const annotations = { ...acceptedKeys(accepted), [OBJECT_KEYS.unneededSince]: null }
    for (const name of revision.parts) {
      const map = this.#options.configMaps.get(name)
      if (map) await annotate(this.#options, map, annotations)
    }
  }

  async #readPart(name: string): Promise<Buffer> {
    const map = await this.#options.kube.get<{ binaryData?: { documents?: string } }>(
      configMapsPath(this.#options.namespace, name),
    )
    return Buffer.from(map.binaryData?.documents ?? '', 'base64')
  }
}

function hasContents(revision: string): boolean {
  return partsOf(revision).contents !== undefined
}

/** Complete revisions among ConfigMaps, the last accepted first. */
export function keptRevisions(maps: Iterable<StoredConfigMap>): KeptRevision[] {
  const byCommit = Map.groupBy(
    [...maps].filter((map) => map.kind === 'revision'),
    (map) => map.revision,
  )
  return [...byCommit]
    .map(([commit, parts]) => assemble(commit, parts))
    .filter((revision) => revision !== undefined)
    .sort((a, b) => b.sequence - a.sequence)
}

/** In Git. */
export function lastCommit([last]: readonly KeptRevision[]): string | undefined {
  return last && commitOf(last.commit)
}

function assemble(commit: string, maps: readonly StoredConfigMap[]): KeptRevision | undefined {
  const first = maps[0]?.annotations ?? {}
  const sha256 = first[REVISION_KEYS.sha256] ?? ''
  const byPart = new Map(maps.map((map) => [map.annotations[REVISION_KEYS.part], map]))
  const whole = maps.flatMap((_, index) => {
    const map = byPart.get(String(index))
    return map?.annotations[REVISION_KEYS.sha256] === sha256 ? [map] : []
  })
  if (String(whole.length) !== first[REVISION_KEYS.parts]) return undefined
  // Killed in the middle of giving it a new number, a revision has two; the greater one was meant.
  const sequence = Math.max(...whole.map((map) => Number(map.annotations[REVISION_KEYS.sequence]) || 0))
  const acceptedAt = Math.max(...whole.map((map) => Number(map.annotations[REVISION_KEYS.acceptedAt]) || 0))
  return { commit, sequence, ...(acceptedAt > 0 && { acceptedAt }), sha256, parts: whole.map((map) => map.name) }
}

interface Accepted {
  readonly sequence: number
  readonly acceptedAt: Instant
}

interface Part extends Accepted {
  readonly index: number
  readonly count: number
  readonly sha256: string
}

function acceptedKeys({ sequence, acceptedAt }: Accepted): Record<string, string> {
  return { [REVISION_KEYS.sequence]: String(sequence), [REVISION_KEYS.acceptedAt]: String(acceptedAt) }
}

function annotationsOf(snapshot: RepoSnapshot, { index, count, sha256, ...accepted }: Part): Record<string, string> {
  return {
    [OBJECT_KEYS.revision]: snapshot.commit,
    [REVISION_KEYS.part]: String(index),
    [REVISION_KEYS.parts]: String(count),
    [REVISION_KEYS.sha256]: sha256,
    ...acceptedKeys(accepted),
    [REVISION_KEYS.author]: `${snapshot.author.name} <${snapshot.author.email}>`,
    [REVISION_KEYS.committedAt]: String(snapshot.committedAt),
    [REVISION_KEYS.subject]: subjectOf(snapshot.message),
  }
}

/** The first line of a commit message, as far as a line of a table can hold it. */
export function subjectOf(message: string): string {
  return (message.split('\n', 1)[0] ?? '').trim().slice(0, 200).toWellFormed()
}
