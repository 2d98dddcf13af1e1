import { AgentError } from '../../agent-error.ts'
import type { PackageWork } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { busy, untilFree } from '../packages/until-free.ts'
import type { Outcome, runProgram } from '../run-program.ts'
import { nevra, packageName } from './package-key.ts'
import { identify } from './rpm-archive.ts'
import type { RpmDatabase, RpmPackage } from './rpm-database.ts'
import type { RpmFront } from './rpm-front.ts'
import { complaintOf, failedScripts, isLocked } from './rpm-text.ts'
import { isNothing, type Unfinished, type UnfinishedItem, UnfinishedWork } from './unfinished.ts'

/** Milliseconds. */
const MINUTE = 60_000
const LONGEST = { apply: 20 * MINUTE, lock: 10 * MINUTE }
/** All of it was solved before, and rpm has to end what it began. */
const AGAIN = ['--replacepkgs', '--oldpackage', '--nodeps', '--']

export interface RpmTransactionOptions {
  readonly files: HostFiles
  readonly database: RpmDatabase
  readonly front: Pick<RpmFront, 'format' | 'command' | 'textOf'>
  readonly look: (program: string, args: readonly string[]) => Promise<Outcome>
  readonly runOutside: typeof runProgram
  /** Where what was begun is written down. */
  readonly record: string
}

/** Changes packages, and judges by the database what came of it: programs do not end with an error whenever something failed. */
export class RpmTransaction {
  readonly #options: RpmTransactionOptions
  readonly #unfinished: UnfinishedWork

  constructor(options: RpmTransactionOptions) {
    this.#options = options
    this.#unfinished = new UnfinishedWork(options.files, options.record)
  }

  /** Packages of which nobody knows whether all of their files are those of their version. */
  async open(): Promise<readonly UnfinishedItem[]> {
    const open: UnfinishedItem[] = []
    for (const item of (await this.#unfinished.read()).install) {
      const found = await this.#find(item)
      if (found === undefined || found.installedAt <= item.since) open.push(item)
    }
    return open
  }

  async apply({ install, remove, removeVersions = [] }: PackageWork): Promise<void> {
    const archives = await identify(install, this.#options.look)
    // What is installed until then may be of this very transaction, ended before its scripts have run.
    const since = now() + LONGEST.apply / 1000
    const items = archives.map(({ name, version, path }) => ({ name, version, archive: path, since }))
    const work = { install: items, remove: [...remove], removeVersions: [...removeVersions] }
    await this.#unfinished.begin(work)
    const complaint = await this.#conclude(work, await this.#perform(work))
    if (complaint !== undefined)
      throw new AgentError(`${this.#options.front.format.manager}: ${complaint}`, { kind: 'validate', reason: 'PackageFailed' })
  }

  /** What an interruption left is finished by rpm itself: what is in front of it would find nothing to do. */
  async repair(): Promise<void> {
    const { database, files } = this.#options
    const { remove, removeVersions } = await this.#unfinished.read()
    const install: UnfinishedItem[] = []
    for (const item of await this.open()) if ((await files.stat(item.archive)) !== undefined) install.push(item)
    const work = { install, remove, removeVersions }
    if (isNothing(work)) return
    const outputs = await this.#writeAgain(install)
    const going: string[] = []
    for (const name of remove) if ((await database.find(name)) !== undefined) going.push(name)
    for (const each of removeVersions) if (await database.has(each)) going.push(nevra(each))
    for (const each of going) outputs.push(await this.change('rpm', ['-e', '--nodeps', '--', each]))
    // A script that fails for good is no reason to leave everything else as it is: what counts is what the database says then.
    await this.#conclude(work, outputs.join('\n'))
  }

  /** @returns what was printed */
  async change(program: string, args: readonly string[]): Promise<string> {
    const { database, front, runOutside } = this.#options
    await untilFree(database, LONGEST.lock)
    const outcome = await runOutside(program, args, { timeout: LONGEST.apply })
    database.forget()
    const output = program === 'rpm' ? `${outcome.stderr}\n${outcome.stdout}` : front.textOf(outcome)
    if (isLocked(output)) throw busy((await database.holder()) ?? 'another process')
    return outcome.timedOut ? `Error: it took longer than ${LONGEST.apply / MINUTE} minutes` : output
  }

  /** A version that is there already is written once more. */
  async #perform({ install, remove, removeVersions }: Unfinished): Promise<string> {
    const { front } = this.#options
    const [again, due]: [UnfinishedItem[], UnfinishedItem[]] = [[], []]
    for (const item of install) ((await this.#find(item))?.version === item.version ? again : due).push(item)
    const outputs = await this.#writeAgain(again)
    const work = { install: due.map(({ archive }) => archive), remove, removeVersions }
    const names = [...remove, ...removeVersions]
    if (due.length + names.length > 0) outputs.push(await this.change(...(await front.command(work))))
    return outputs.join('\n')
  }

  /** An upgrade would take all other versions of a kernel away. */
  async #writeAgain(items: readonly UnfinishedItem[]): Promise<string[]> {
    const beside: string[] = []
    const sole: string[] = []
    for (const { name, archive } of items) ((await this.#options.database.isBeside(name)) ? beside : sole).push(archive)
    const outputs: string[] = []
    if (sole.length > 0) outputs.push(await this.change('rpm', ['-U', ...AGAIN, ...sole]))
    if (beside.length > 0) outputs.push(await this.change('rpm', ['-i', ...AGAIN, ...beside]))
    return outputs
  }

  /** Of one that stands beside others, this version; else whatever is there. */
  async #find({ name, version }: UnfinishedItem): Promise<RpmPackage | undefined> {
    const { database } = this.#options
    const versions = await database.versions(name)
    return (await database.isBeside(name)) ? versions.find((each) => each.version === version) : versions.at(-1)
  }

  /** @returns what went wrong */
  async #conclude(work: Unfinished, output: string): Promise<string | undefined> {
    const { database } = this.#options
    const failed = failedScripts(output)
    const since = now()
    const left: UnfinishedItem[] = []
    const wrong: string[] = []
    for (const item of work.install) {
      const found = await this.#find(item)
      if (found?.version === item.version && !failed.includes(packageName(item.name))) continue
      wrong.push(item.name)
      if (found !== undefined) left.push({ ...item, since })
    }
    for (const name of work.remove) if ((await database.find(name)) !== undefined) wrong.push(name)
    for (const each of work.removeVersions) if (await database.has(each)) wrong.push(nevra(each))
    await this.#unfinished.end(work, left)
    return wrong.length === 0 ? undefined : `"${wrong.join('", "')}": ${complaintOf(output)}`
  }
}

/** In seconds, as rpm counts. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}
