import type {
  PackageArchive,
  PackageFormat,
  PackageStep,
  PackageWish,
  PackageWork,
  ResolveOptions,
} from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Outcome, RunOptions, runProgram } from '../run-program.ts'
import type { DatabaseFront, RpmDatabase, RpmPackage } from './rpm-database.ts'

/** A program with its arguments. */
export type Call = readonly [program: string, args: readonly string[]]

/** What differs between the programs that solve, download and install packages of rpm. */
export interface RpmFront extends DatabaseFront {
  readonly format: PackageFormat
  /** Directory of the files that name repositories. */
  readonly repositories: string
  readonly index: PackageIndex
  readonly holds: Holds
  /** Has packages count as named by somebody, or as there for others. */
  mark(how: 'named' | 'automatic', names: readonly string[], change: (...call: Call) => Promise<string>): Promise<void>
  /** The call that installs these archives and removes these packages, without a network. */
  command(work: PackageWork): Promise<Call>
  /** What a call printed, as text in which complaints are lines. */
  textOf(outcome: Outcome): string
  /** Names of packages that count only after a reboot; none where the program says so by a file in /run. */
  rebootNames(): Promise<readonly string[]>
  /** Of what the host has downloaded itself, or somebody put there. */
  cached(archive: PackageArchive): Promise<string | undefined>
}

export interface PackageIndex {
  resolve(wishes: readonly PackageWish[], options: ResolveOptions): Promise<readonly PackageStep[]>
  /** @returns archives that were downloaded, this one among them; none when no repository has it */
  download(archive: PackageArchive, options: RunOptions): Promise<readonly string[]>
}

export interface Holds {
  isHeld(found: HeldPackage): Promise<boolean>
  /** @throws {AgentError} when somebody else holds what is to be held no longer. */
  set(found: HeldPackage, held: boolean): Promise<void>
  /** Of packages that are no longer there: what somebody installs later was not held. */
  forget(names: readonly string[]): Promise<void>
}

export type HeldPackage = Pick<RpmPackage, 'name' | 'version' | 'architecture'>

/** What a front is made of. */
export interface RpmTools {
  readonly files: HostFiles
  readonly store: string
  readonly database: RpmDatabase
  /** For what changes nothing outside the store. */
  readonly look: (program: string, args: readonly string[], options?: RunOptions) => Promise<Outcome>
  /** Where there is memory for what it reads, and for what changes the host. */
  readonly outside: typeof runProgram
  /** Turns a path as the host sees it into one that can be read from here. */
  readonly place: (path: string) => string
  /** Given to each call of the program, besides the agent's own. */
  readonly settings: readonly string[]
}
