/**
 * Every path on the host that the agent knows, in one place: a second spelling would be a file that nobody cleans up.
 */
export const DEFAULT_STATE_DIRECTORY = '/var/lib/nodewave'

/** What the agent remembers. All of it is readable by root only: configurations may carry what is nobody else's business. */
export interface StatePaths {
  readonly directory: string
  /** Digest of what was assigned last. */
  readonly assigned: string
  /** Digest of what the host is made by; no file: the local configuration. */
  readonly active: string
  /** Digest of what last held its trial; no file: the local configuration. */
  readonly lastKnownGood: string
  /** What the active configuration has to show through its trial. */
  readonly trial: string
  /** How the last assignment ended. */
  readonly outcome: string
  /** The signed assignment that was accepted last: none that is older is. */
  readonly accepted: string
  /** There as long as nobody knows what is whose on the host: putting it back failed. */
  readonly unclean: string
  readonly journal: string
  /** Followed by a dot and a number. */
  readonly lock: string
  /** The originals of the transaction under way. */
  readonly backups: string
  /** What the host had before nodewave managed it. */
  readonly baselines: string
  readonly baselineIndex: string
  readonly baselineContents: string
  readonly staging: string
  /** Files that assignments bring by URL or in archives, by their SHA-256, and what those archives hold. */
  readonly store: string
  /** Archives of packages: of what is installed, and of what was before, so that going back needs no repository. */
  readonly packages: string
  readonly checkpoints: string
}

export function statePaths(directory: string = DEFAULT_STATE_DIRECTORY): StatePaths {
  return {
    directory,
    assigned: `${directory}/meta/assigned`,
    active: `${directory}/meta/active`,
    lastKnownGood: `${directory}/meta/last-known-good`,
    trial: `${directory}/meta/trial.json`,
    outcome: `${directory}/meta/outcome.json`,
    accepted: `${directory}/meta/accepted.json`,
    unclean: `${directory}/meta/unclean`,
    lock: `${directory}/lock`,
    journal: `${directory}/journal.jsonl`,
    backups: `${directory}/backups`,
    // As the first release named it: whoever goes back to that one must find it.
    baselines: `${directory}/local`,
    baselineIndex: `${directory}/local/index.json`,
    baselineContents: `${directory}/local/files`,
    staging: `${directory}/staging`,
    store: `${directory}/store`,
    packages: `${directory}/packages`,
    checkpoints: `${directory}/checkpoints`,
  }
}

/** A digest has a colon, which some tools take for something else: the directory's name has none. */
export function checkpointDirectory(paths: StatePaths, digest: string): string {
  return `${paths.checkpoints}/${digest.replace(':', '-')}`
}

/** Whoever has it works on this host, wherever its state is. It is gone with a reboot. Followed by a dot and a number. */
export const HOST_LOCK = '/run/nodewave/lock'

/** Whoever has it installs or removes the agent. Followed by the step, a dot and a number. */
export const INSTALL_LOCK = '/run/nodewave/installer'

/** The agent that runs and has reached its Node; see src/agent/state/contact.ts. Gone with a reboot. */
export const CONTACT = '/run/nodewave/agent.json'

/** Public keys that assignments must be signed with; see docs/security.md. */
export const TRUSTED_KEYS = '/etc/nodewave/trusted-keys'

/** What the owner of the host allows; see docs/security.md. */
export const HOST_POLICY = '/etc/nodewave/policy.yaml'

/** Debian's and Ubuntu's, and SUSE's; whoever else wants a reboot makes the first one. Gone after a reboot. */
export const REBOOT_FLAGS = ['/run/reboot-required', '/run/reboot-needed'] as const
/** Packages that want it, one a line. */
export const REBOOT_PACKAGES = '/run/reboot-required.pkgs'

export const KUBELET_UNIT = 'kubelet.service'
export const KUBELET_BINARY = '/usr/bin/kubelet'
export const KUBELET_CONFIG = '/var/lib/kubelet/config.yaml'
export const KUBEADM_FLAGS = '/var/lib/kubelet/kubeadm-flags.env'
/** Where KUBELET_EXTRA_ARGS stands: in Debian's packages, and in the others. */
export const EXTRA_ARGS_FILES = { deb: '/etc/default/kubelet', rpm: '/etc/sysconfig/kubelet' } as const
export const KUBEADM_DROP_INS = [
  '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf',
  '/usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf',
  '/lib/systemd/system/kubelet.service.d/10-kubeadm.conf',
] as const
/** The environment file that a CoreOS kubelet service points to. */
export const DEFAULT_ENVIRONMENT_FILE = '/etc/kubernetes/kubelet.env'

/** Of the managed layout. The agent makes the credential, or somebody else does. */
export const MANAGED_KUBECONFIG = '/etc/kubernetes/kubelet.conf'
export const MANAGED_FLAGS = '/etc/kubernetes/kubelet-flags.env'
/** Credential of a machine that has no other yet: a bootstrap token. */
export const BOOTSTRAP_KUBECONFIG = '/etc/nodewave/bootstrap.conf'

export const UNIT_DIRECTORY = '/etc/systemd/system'
export const UNIT_DIRECTORIES = [
  UNIT_DIRECTORY,
  '/usr/lib/systemd/system',
  '/lib/systemd/system',
  '/usr/local/lib/systemd/system',
]

export function unitFile(unit: string): string {
  return `${UNIT_DIRECTORY}/${unit}`
}

export function dropInFile(unit: string, name: string): string {
  return `${UNIT_DIRECTORY}/${unit}.d/${name}`
}

/** A change below one of these counts only after the service manager has read its files again. */
export function isUnitPath(path: string): boolean {
  return UNIT_DIRECTORIES.some((directory) => path.startsWith(`${directory}/`))
}
