import { AgentError } from '../../agent-error.ts'
import type { PackageWork } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import { busy, untilFree } from '../packages/until-free.ts'
import type { Outcome, runProgram } from '../run-program.ts'
import { identify } from './rpm-archive.ts'
import type { RpmDatabase } from './rpm-database.ts'
import type { RpmFront } from './rpm-front.ts'
import { complaintOf, failedScripts, isLocked } from './rpm-text.ts'
import { type Unfinished, type UnfinishedItem, UnfinishedWork } from './unfinished.ts'

/** Milliseconds. */
const MINUTE = 60_000
const LONGEST = { apply: 20 * MINUTE, lock: 10 * MINUTE }
/** All of it was solved before, and rpm has to end what it began. */
const AGAIN = ['-U', '--replacepkgs', '--oldpackage', '--nodeps', '--']

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
      const found = await this.#options.database.find(item.name)
      if (found === undefined || found.installedAt <= item.since) open.push(item)
    }
    return open
  }

  async apply({ install, remove }: PackageWork): Promise<void> {
    const archives = await identify(install, this.#options.look)
    // What is installed until then may be of this very transaction, ended before its scripts have run.
    const since = now() + LONGEST.apply / 1000
    const items = archives.map(({ name, version, path }) => ({ name, version, archive: path, since }))
    const work = { install: items, remove: [...remove] }
    await this.#unfinished.begin(work)
    const complaint = await this.#conclude(work, await this.#perform(work))
    if (complaint !== undefined)
      throw new AgentError(`${this.#options.front.format.manager}: ${complaint}`, { kind: 'validate', reason: 'PackageFailed' })
  }

  /** What an interruption left is finished by rpm itself: what is in front of it would find nothing to do. */
  async repair(): Promise<void> {
    const { remove } = await this.#unfinished.read()
    const install: UnfinishedItem[] = []
    for (const item of await this.open()) if ((await this.#options.files.stat(item.archive)) !== undefined) install.push(item)
    if (install.length + remove.length === 0) return
    const outputs: string[] = []
    if (install.length > 0) outputs.push(await this.change('rpm', [...AGAIN, ...install.map(({ archive }) => archive)]))
    for (const name of remove)
      if ((await this.#options.database.find(name)) !== undefined)
        outputs.push(await this.change('rpm', ['-e', '--nodeps', '--', name]))
    // A script that fails for good is no reason to leave everything else as it is: what counts is what the database says then.
    await this.#conclude({ install, remove }, outputs.join('\n'))
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
  async #perform({ install, remove }: Unfinished): Promise<string> {
    const { database, front } = this.#options
    const again: string[] = []
    const due: string[] = []
    for (const { name, version, archive } of install)
      ((await database.find(name))?.version === version ? again : due).push(archive)
    const outputs = again.length > 0 ? [await this.change('rpm', [...AGAIN, ...again])] : []
    if (due.length + remove.length > 0) outputs.push(await this.change(...(await front.command({ install: due, remove }))))
    return outputs.join('\n')
  }

  /** @returns what went wrong */
  async #conclude(work: Unfinished, output: string): Promise<string | undefined> {
    const { database } = this.#options
    const failed = failedScripts(output)
    const since = now()
    const left: UnfinishedItem[] = []
    const wrong: string[] = []
    for (const item of work.install) {
      const found = await database.find(item.name)
      if (found?.version === item.version && !failed.includes(item.name)) continue
      wrong.push(item.name)
      if (found !== undefined) left.push({ ...item, since })
    }
    for (const name of work.remove) if ((await database.find(name)) !== undefined) wrong.push(name)
    await this.#unfinished.end(work, left)
    return wrong.length === 0 ? undefined : `"${wrong.join('", "')}": ${complaintOf(output)}`
  }
}

/** In seconds, as rpm counts. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}
