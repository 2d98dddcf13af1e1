import * as z from 'zod/mini'
import { AGENT_PHASES } from '../../protocol/agent-status.ts'
import { type DesiredConfig, DISRUPTIONS, parseDesiredConfig } from '../../protocol/desired-config.ts'
import { contentDigest, DIGEST_PATTERN, type NodeContent } from '../../protocol/digest.ts'
import { allEnded } from '../all-ended.ts'
import type { Assignment } from '../loop/fetch.ts'
import { checkpointDirectory, type StatePaths } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { Pointer, Pointers } from './pointers.ts'

const failure = z.object({ reason: z.string(), message: z.string() })
/** Everything was put back, and only the kubelet has not proved healthy yet: it is observed again. */
const unproved = z.object({ healthz: z.optional(z.string()), units: z.optional(z.array(z.string())) })
const needs = z.enum(DISRUPTIONS)

const outcome = z.object({
  /** The annotation it speaks of; null: there was none, and the local configuration was wanted. */
  assignment: z.nullable(z.string()),
  /** uid of the Node it stood on. */
  node: z.optional(z.string()),
  digest: z.optional(z.string()),
  revision: z.optional(z.string()),
  phase: z.enum(AGENT_PHASES),
  /** RFC 3339 */
  since: z.string(),
  attempts: z.number(),
  error: z.optional(failure),
  needs: z.optional(needs),
  /** What of the assignment counts only after a reboot. */
  reboot: z.optional(z.array(z.string())),
  /** RFC 3339, of the kubelet that was restarted and proved healthy. */
  kubeletStartedAt: z.optional(z.string()),
  unproved: z.optional(unproved),
  /** The host went back because the API server was lost; whether the change is to blame shows when that is found again. */
  lost: z.optional(z.literal(true)),
  /** Of the attempts, those that ended so. */
  losses: z.optional(z.number()),
  /** Ways back that rebooted the machine and came to nothing. */
  rebootsInVain: z.optional(z.number()),
  /** How the assignment stood before the active configuration went bad, as long as the host could not go back. */
  was: z.optional(
    z.object({
      phase: z.enum(AGENT_PHASES),
      error: z.optional(failure),
      needs: z.optional(needs),
      unproved: z.optional(unproved),
    }),
  ),
})

/** How far the last assignment came. It is on disk, so that an agent that starts again neither forgets a failure nor repeats it. */
export type Outcome = z.infer<typeof outcome>

/** Monotonic milliseconds, of this boot. */
const missed = z.object({
  boot: z.string(),
  /** The last question that was not answered. */
  at: z.number(),
  unheardSince: z.number(),
  silentSince: z.optional(z.number()),
})

export type Missed = z.infer<typeof missed>

const trialDemands = z.object({
  digest: z.string(),
  /** The transaction that last changed the host for it. */
  change: z.optional(z.string()),
  /** Whether the Node was Ready before the change, and heard from its kubelet. */
  ready: z.boolean(),
  heartbeat: z.boolean(),
  /** Units besides the kubelet that ran, or were started. */
  units: z.array(z.string()),
  /** The API server has to be heard of once after the change, and has not been since. */
  contact: z.optional(z.boolean()),
  /** It did not answer right before the change either. */
  away: z.optional(z.literal(true)),
  /** Since when it has not been heard of, for an agent that starts again. */
  missed: z.optional(missed),
  /** The kubelet's heartbeat that the Node showed when the change was proved; milliseconds since the epoch. */
  shown: z.optional(z.number()),
})

export type TrialDemands = z.infer<typeof trialDemands>

const accepted = z.object({
  /** uid of the Node that it was signed for. */
  node: z.string(),
  counter: z.number(),
  /** SHA-256 of the annotation. */
  assignment: z.string(),
  /** Counters of Nodes that this machine had before, by uid: a backup brings them back, too. The latest ones last. */
  former: z.optional(z.array(z.object({ node: z.string(), counter: z.number() }))),
})

export type Accepted = z.infer<typeof accepted>

const content = z.object({
  version: z.optional(z.string()),
  opts: z.optional(z.string()),
  flags: z.optional(z.string()),
  config: z.optional(z.string()),
  host: z.optional(z.string()),
  secret: z.optional(z.string()),
})

const PRIVATE = { mode: 0o600 }

/** What the agent remembers, on the host's disk. */
export class AgentState {
  readonly paths: StatePaths
  readonly #files: HostFiles
  #untold: Outcome | undefined
  #untoldTrial: TrialDemands | undefined

  constructor(paths: StatePaths, files: HostFiles) {
    this.paths = paths
    this.#files = files
  }

  /** @returns undefined for the local configuration. */
  async digest(pointer: Pointer): Promise<string | undefined> {
    const text = (await this.#text(this.paths[pointer]))?.trim()
    return text !== undefined && DIGEST_PATTERN.test(text) ? text : undefined
  }

  /** Whether nobody can tell what the pointer named: it is no digest, or was lost while the host still is made by something. */
  async isDamaged(pointer: Pointer): Promise<boolean> {
    const text = await this.#text(this.paths[pointer])
    if (text !== undefined) return !DIGEST_PATTERN.test(text.trim())
    return pointer === 'active' && (await this.digest('lastKnownGood')) !== undefined
  }

  async point(pointer: Pointer, digest: string | undefined): Promise<void> {
    if ((await this.digest(pointer)) === digest && !(await this.isDamaged(pointer))) return
    if (digest === undefined) return this.#files.remove(this.paths[pointer])
    await this.#files.writeAtomic(this.paths[pointer], Buffer.from(`${digest}\n`), PRIVATE)
  }

  /** One after the other; those that are not named stay. */
  async pointAll(pointers: Pointers): Promise<void> {
    for (const pointer of Object.keys(pointers) as Pointer[]) await this.point(pointer, pointers[pointer])
  }

  async outcome(): Promise<Outcome | undefined> {
    if (this.#untold !== undefined) return this.#untold
    const result = outcome.safeParse(parseJson(await this.#text(this.paths.outcome)))
    return result.success ? result.data : undefined
  }

  async setOutcome(value: Outcome): Promise<void> {
    await this.#files.writeAtomic(this.paths.outcome, Buffer.from(JSON.stringify(value)), PRIVATE)
    this.#untold = undefined
  }

  /**
   * The same where nothing depends on the disk: what that does not take, this process knows all the same.
   * @returns why it is not on disk, if it is not
   */
  async noteOutcome(value: Outcome): Promise<unknown> {
    try {
      await this.setOutcome(value)
      return undefined
    } catch (error) {
      this.#untold = value
      return error
    }
  }

  /** The assignment stands on another Node now, of the same machine. @param node its uid */
  async moveOutcome(node: string): Promise<void> {
    const last = await this.outcome()
    if (last !== undefined) await this.noteOutcome({ ...last, node })
  }

  /** What the configuration with this digest has to show through its trial; undefined when that is not known. */
  async trial(digest: string): Promise<TrialDemands | undefined> {
    const demands = this.#untoldTrial ?? trialDemands.safeParse(parseJson(await this.#text(this.paths.trial))).data
    return demands?.digest === digest ? demands : undefined
  }

  async setTrial(demands: TrialDemands): Promise<void> {
    await this.#files.writeAtomic(this.paths.trial, Buffer.from(JSON.stringify(demands)), PRIVATE)
    this.#untoldTrial = undefined
  }

  /** What the disk did not take before. @throws when it still does not */
  async writeUntold(): Promise<void> {
    // The trial last: without it on disk, an agent that starts again makes up for both.
    if (this.#untold !== undefined) await this.setOutcome(this.#untold)
    if (this.#untoldTrial !== undefined) await this.setTrial(this.#untoldTrial)
  }

  /** As `noteOutcome`. */
  async noteTrial(demands: TrialDemands): Promise<unknown> {
    try {
      await this.setTrial(demands)
      return undefined
    } catch (error) {
      this.#untoldTrial = demands
      return error
    }
  }

  /** The signed assignment that was accepted last. */
  async accepted(): Promise<Accepted | 'damaged' | undefined> {
    const text = await this.#text(this.paths.accepted)
    if (text === undefined) return undefined
    const result = accepted.safeParse(parseJson(text))
    return result.success ? result.data : 'damaged'
  }

  async setAccepted(value: Accepted): Promise<void> {
    await this.#files.writeAtomic(this.paths.accepted, Buffer.from(JSON.stringify(value)), PRIVATE)
  }

  /** Whether putting the host back failed, and nothing was applied since. */
  async isUnclean(): Promise<boolean> {
    return (await this.#files.read(this.paths.unclean)) !== undefined
  }

  async setUnclean(isUnclean: boolean): Promise<void> {
    if (isUnclean === (await this.isUnclean())) return
    if (!isUnclean) return this.#files.remove(this.paths.unclean)
    await this.#files.writeAtomic(this.paths.unclean, new Uint8Array(), PRIVATE)
  }

  /** Lets the last assignment be applied once more, from its first attempt. @param since RFC 3339 */
  async reopen(since: string): Promise<void> {
    const {
      error: _error,
      was: _was,
      losses: _losses,
      rebootsInVain: _reboots,
      ...last
    } = (await this.outcome()) ?? { phase: undefined }
    if (last.phase !== undefined) await this.setOutcome({ ...last, phase: 'Applying', since, attempts: 0 })
  }

  /** Keeps what was fetched: from here on neither the API server nor the ConfigMaps are needed to apply it. */
  async checkpoint(assignment: Assignment): Promise<void> {
    const directory = checkpointDirectory(this.paths, assignment.digest)
    // Side by side, for one wait on the disk: of one without the other nothing is restored.
    await allEnded([
      this.#files.writeAtomic(`${directory}/content.json`, Buffer.from(JSON.stringify(assignment.content)), PRIVATE),
      this.#files.writeAtomic(`${directory}/desired-config.json`, Buffer.from(assignment.text), PRIVATE),
    ])
  }

  /**
   * @returns undefined when there is none, or when what is there no longer is what was fetched. Of an annotation that a newer agent
   * accepted, and this one cannot read, `desired` has nothing but the digest.
   */
  async restore(digest: string): Promise<Assignment | undefined> {
    const directory = checkpointDirectory(this.paths, digest)
    const text = await this.#text(`${directory}/desired-config.json`)
    const result = content.safeParse(parseJson(await this.#text(`${directory}/content.json`)))
    if (text === undefined || !result.success || contentDigest(result.data as NodeContent) !== digest) return undefined
    return { text, desired: readable(text) ?? { DIGEST: digest }, content: result.data, digest }
  }

  /** Forgets the checkpoints of all but these digests. */
  async sweepCheckpoints(kept: readonly (string | undefined)[]): Promise<void> {
    const names = new Set(kept.filter((digest) => digest !== undefined).map((digest) => checkpointDirectory(this.paths, digest)))
    for (const name of await this.#files.list(this.paths.checkpoints)) {
      const directory = `${this.paths.checkpoints}/${name}`
      if (!names.has(directory)) await this.#files.removeTree(directory)
    }
  }

  async #text(path: string): Promise<string | undefined> {
    const bytes = await this.#files.read(path)
    return bytes && Buffer.from(bytes).toString()
  }
}

function readable(text: string): DesiredConfig | undefined {
  try {
    return parseDesiredConfig(text)
  } catch {
    return undefined
  }
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
