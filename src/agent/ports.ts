import type { AgentStatus } from '../protocol/agent-status.ts'
import type { Artifact } from '../protocol/host-document.ts'
import type { AccountManager } from './account-manager.ts'
import type { Manifest } from './archive/unpack.ts'
import type { Kernel } from './kernel.ts'
import type { PackageManager } from './package-manager.ts'
import type { ServiceManagerName } from './service-managers.ts'
import type { StepRunner } from './step-runner.ts'

/**
 * Everything the agent needs of the outside. `src/agent/adapters/` has the real ones, `src/sim/host/` the simulated host.
 * The agent's decisions see none of these: they get what was observed, as data.
 */
export interface AgentPorts {
  readonly files: HostFiles
  readonly services: ServiceManager
  readonly accounts: AccountManager
  readonly kernel: Kernel
  /** What programs on the host trust. */
  readonly trustStore: DerivedFile
  /** What the boot loader starts. */
  readonly bootMenu: BootMenu
  readonly packages: PackageManager
  readonly steps: StepRunner
  readonly kubelet: KubeletProbe
  readonly downloads: Downloads
  readonly archives: Archives
  readonly watchDirectory: WatchDirectory
  readonly node: NodeApi
  readonly clock: Clock
  /** From 0 to less than 1; no secrets are made of it. */
  readonly random: () => number
  readonly log: Log
  /** Missing when nobody supervises this process. */
  readonly supervisor?: Supervisor
  /** Missing when nobody asks whether this agent works. */
  readonly contact?: ContactSign
  /** Missing when nobody on the host asks for the status. */
  readonly metrics?: StatusMetrics
}

/** Where the status is shown besides on the Node. */
export interface StatusMetrics {
  show(status: AgentStatus): void
}

/** Where an agent shows that it has read its Node, and that the Node shows all that the agent has to say. */
export interface ContactSign {
  made(): Promise<void>
}

/** Who ends this process when it no longer says that it lives. */
export interface Supervisor {
  /** Milliseconds between two signs of life. */
  readonly interval: number
  alive(): Promise<void>
}

/**
 * The host's file system. Every path is absolute as the host sees it; with `--root DIR` the adapter puts DIR in front.
 * All throw {AgentError} UnsafePath when others than root could lead them elsewhere.
 */
export interface HostFiles {
  /** @returns undefined when there is no such file. */
  read(path: string): Promise<Uint8Array | undefined>
  /** Of the path itself: a symlink is not followed. */
  stat(path: string): Promise<FileStat | undefined>
  /** Hex digest of a file's content; undefined when there is no such file. For what is too large to hold in memory. */
  sha256(path: string): Promise<string | undefined>
  /** Names in a directory, sorted; empty when there is none. */
  list(path: string): Promise<string[]>
  /** Temporary file in the same directory, fsync, rename, fsync directory: the old content or the new, never between. Makes parents. */
  writeAtomic(path: string, bytes: Uint8Array, options?: WriteOptions): Promise<void>
  /** The same guarantee for a file already on this host (a staged binary): copy beside, fsync, rename. */
  install(from: string, to: string, options?: WriteOptions): Promise<void>
  /**
   * Gives a file a second name, by which it is found when the first one names another: bytes, mode and owner, at no cost. Where that cannot be
   * (another file system), a copy that only root reads. Who writes into the file, and not over it, changes both.
   */
  keep(from: string, to: string): Promise<void>
  /** Puts back what `keep` kept, with the same guarantee as `install`; `from` stays, so that it may be done twice. */
  restore(from: string, to: string, options: Required<WriteOptions>): Promise<void>
  /** Makes a file that only root reads: whole at once, or not at all. @returns false when something is there already. */
  create(path: string, bytes: Uint8Array): Promise<boolean>
  /** Appends one line and fsyncs: the journal. */
  append(path: string, line: string): Promise<void>
  /** A file or a link; nothing when there is none. @throws for a directory */
  remove(path: string): Promise<void>
  /** A directory of the agent's own, and all that is in it; nothing when there is none. @throws for any other */
  removeTree(directory: string): Promise<void>
  /** A directory in which there is nothing; leaves anything else as it is. */
  removeEmpty(directory: string): Promise<void>
  /** A directory with this mode and owner; one that is there gets them. Makes parents. @throws when something else is there */
  makeDirectory(path: string, options?: WriteOptions): Promise<void>
  /** Where a symbolic link leads, as it says; undefined when there is none. @throws for anything else */
  readLink(path: string): Promise<string | undefined>
  /** Makes a symbolic link, or has the one that is there lead elsewhere: the old target or the new, never none. Makes parents. */
  link(path: string, target: string): Promise<void>
}

/**
 * Tells of the names in one directory that are made, written, renamed, removed, or get another mode or owner, from now on. Of the directory
 * itself it tells by its own name; it goes on watching that one when another takes its place.
 * @param onEvent called with the name; undefined: something may have been missed, and this watch may have ended
 * @returns what ends it @throws with the code of the system when there is no such directory, or no more watches are to be had
 */
export type WatchDirectory = (directory: string, onEvent: (name: string | undefined) => void) => Promise<() => void>

export interface FileStat {
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  readonly size: number
  /** Permission bits, with set-id and sticky. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** What is left out stays as it is on the file that is there; a new one gets mode 0644 (its parents 0755) and the agent's own user and group. */
export interface WriteOptions {
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

export interface ServiceManager {
  readonly name: ServiceManagerName
  /** @throws when the service manager does not answer: that says nothing of the unit. */
  show(unit: string): Promise<ServiceState>
  /** All in one call where a call costs a process. @throws as `show` does, also when one of many gets no answer. */
  showAll(units: readonly string[]): Promise<readonly UnitLook[]>
  /** Others that the service manager, or this port, stops when one of these stops or restarts: units that require it, the service of a socket. */
  stoppedWith(units: readonly string[]): Promise<readonly string[]>
  /** Also a unit that was started too often of late, and that the service manager has given up. */
  restart(unit: string): Promise<void>
  start(unit: string): Promise<void>
  stop(unit: string): Promise<void>
  enable(unit: string): Promise<void>
  disable(unit: string): Promise<void>
  /**
   * Has what these units set up be as their files say now: a restart of networkd leaves routes and addresses that its files no longer have.
   * Absent: no unit is known that leaves anything.
   */
  dropLeftovers?(units: readonly string[]): Promise<void>
  /** Read unit files again. */
  reload(): Promise<void>
  /** Whether the machine is starting, or on its way down. */
  machine(): Promise<MachineState>
  /** Another one after each boot of the machine. */
  bootId(): Promise<string>
  /** Asks the machine to start again, and does not wait for it. @throws when that is refused, as by an inhibitor. */
  reboot(): Promise<void>
  /** The unit's last log lines since an instant, oldest first, for the error people read. */
  lastWords(unit: string, since: number): Promise<string[]>
}

/** A file that a program of the distribution makes of others: what those say counts only after that. */
export interface DerivedFile {
  rebuild(): Promise<void>
  /** Another one whenever the file is another; the same where there is none. */
  fingerprint(): Promise<string>
}

export interface BootMenu extends DerivedFile {
  /** @param entry by which the machine starts next, and only then; undefined: as always */
  startOnce(entry: string | undefined): Promise<void>
}

/** The program that was to tell the service manager was killed, as by a service manager that stops this agent: nothing is known of the unit. */
export class ServiceCallKilled extends Error {
  override readonly name = 'ServiceCallKilled'
}

export type MachineState = 'starting' | 'up' | 'stopping'

export interface UnitLook {
  readonly unit: string
  readonly service: ServiceState
}

export interface ServiceState {
  /** It can be started: the service manager has read what defines it. */
  readonly exists: boolean
  /** The service manager finds nothing that defines it. One that is masked or damaged is not gone; one that is may run all the same. */
  readonly isGone: boolean
  /** `activating` is what a crash loop looks like: systemd with Restart=always never says `failed`. */
  readonly active: 'active' | 'activating' | 'deactivating' | 'inactive' | 'failed'
  /** It is `activating` as long as it works, and done then (`Type=oneshot`): nothing to be found running. Default: false. */
  readonly isJob?: boolean
  /** Something starts it at boot, or on another occasion. */
  readonly enabled: boolean
  /** Its file has no [Install]: it cannot be enabled, and counts as not enabled. */
  readonly isStatic: boolean
  /** 0 when no process runs. */
  readonly mainPid: number
  readonly restarts: number
  /** Milliseconds that the process which runs now has been running, whatever happened to the wall clock since; 0 when none runs. */
  readonly runningFor: number
  readonly lastExit: number
}

export interface KubeletProbe {
  /** `v1.36.3` of the binary, as it says itself. @throws when it cannot run here. */
  version(binary: string): Promise<string>
  /** The staged binary judges the staged flags and configuration; nothing on the host is disturbed. */
  preflight(subject: PreflightSubject): Promise<PreflightVerdict>
  /** Never throws: no answer is an answer. `url` is http://127.0.0.1:10248/healthz, or where the configuration puts it. */
  healthz(url: string): Promise<Answer>
  /** Never throws. Whether the container runtime accepts connections; `endpoint` is a path or `unix:///run/containerd/containerd.sock`. */
  runtime(endpoint: string): Promise<Answer>
  /** Never throws. Whether somebody who comes for logs and metrics of pods is let in as far as to see a certificate. */
  serves(endpoint: KubeletEndpoint): Promise<Answer>
}

/** Where the API server reaches a kubelet. */
export interface KubeletEndpoint {
  readonly address: string
  readonly port: number
}

export interface Answer {
  readonly ok: boolean
  readonly detail: string
}

export interface PreflightSubject {
  readonly binary: string
  /** As the kubelet will get them, in order, without quoting; `--config` is not among them when `config` is given. */
  readonly args: readonly string[]
  /** Path of the staged configuration file, if the layout has one. */
  readonly config?: string
}

export type PreflightVerdict =
  | { readonly ok: true; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string }

export interface Downloads {
  /** Streams to `to` on the host, hashing; on a mismatch nothing is left there. Resumes or reuses a file that already matches. */
  fetch(
    artifact: Artifact,
    to: string,
    options: { readonly maxBytes: number; readonly mode?: number; readonly signal?: AbortSignal },
  ): Promise<void>
}

/** Tar archives, compressed or not. */
export interface Archives {
  /**
   * Puts each file of an archive into the store, under its SHA-256, where only root reads it.
   * @returns what the archive holds @throws when it is damaged, or holds what is not unpacked
   */
  unpack(from: string, store: string, options: { readonly strip: number; readonly signal?: AbortSignal }): Promise<Manifest>
}

/** The API server, as one node may use it. */
export interface NodeApi {
  /**
   * The own Node, at once and at each change, for ever; the implementation survives lost connections, and pauses between attempts.
   */
  follow(signal: AbortSignal, events?: ConnectionEvents): AsyncIterable<OwnNode>
  /** @param options.newConnection whether no connection is used that stood before; default: false */
  get(options?: { readonly newConnection?: boolean }): Promise<OwnNode>
  /** When the kubelet last renewed the node's own Lease: milliseconds since the epoch; undefined when there is none. */
  leaseRenewed(): Promise<number | undefined>
  /**
   * Merge patch of annotations; null removes one. `version` is of the Node that it is based on.
   * @returns the Node as it is then
   * @throws {KubeError} a conflict when the Node has another version by the time that the patch arrives
   */
  annotate(annotations: Readonly<Record<string, string | null>>, version: string): Promise<OwnNode>
  /** `data` of a ConfigMap. @throws {KubeError} */
  configMap(namespace: string, name: string): Promise<Readonly<Record<string, string>>>
  /** The pod that the own kubelet shows for a static pod of this name; undefined when there is none. @throws {KubeError} */
  mirrorPod(namespace: string, name: string): Promise<MirrorPod | undefined>
  /** The same of a Secret, decoded. */
  secret(namespace: string, name: string): Promise<Readonly<Record<string, string>>>
}

export interface MirrorPod {
  /** Which manifest it is of; see STATIC_POD_KEY. */
  readonly digest: string | undefined
  readonly ready: boolean
  /** Of all containers. */
  readonly restarts: number
  /** Why it is not Ready, as the kubelet says it. */
  readonly trouble: string | undefined
}

export interface ConnectionEvents {
  /** The connection stands: at first, and after every break. */
  readonly onOpen?: () => void
  /** It does not, and is tried again by itself. */
  readonly onTrouble?: (error: unknown) => void
}

export interface OwnNode {
  readonly name: string
  /** Another one when the Node was deleted and registered again. */
  readonly uid: string
  /** resourceVersion: another one after each write. */
  readonly version: string
  readonly arch: string
  readonly annotations: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly ready: boolean
  /** When the kubelet last reported whether it is ready: milliseconds since the epoch by the node's clock, whole seconds; undefined before. */
  readonly heartbeat: number | undefined
  /** As the kubelet reports it: `v1.36.3`. */
  readonly kubeletVersion: string
  /** Undefined while the kubelet has reported none. */
  readonly endpoint?: KubeletEndpoint | undefined
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch; it may jump. */
  now(): number
  /** Monotonic, milliseconds: what durations are measured with. */
  elapsed(): number
  /** Resolves when the time is over or the signal aborts, whichever is first; never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

export interface Log {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
}
