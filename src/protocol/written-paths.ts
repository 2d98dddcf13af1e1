import type { HostDocument, HostRepository, HostUser } from './host-document.ts'
import { moduleName } from './kernel-sections.ts'
import { aptSourcesFile, dnfRepositoryFile, rpmKeyFile, zypperRepositoryFile } from './names.ts'
import { sysctlPath } from './sysctl-name.ts'

/** Files that sections of the host document write and do not name, by section. */
export const SECTION_FILES = {
  sysctls: '/etc/sysctl.d/99-zz-nodewave.conf',
  kernelModules: '/etc/modules-load.d/nodewave.conf',
  kernelArguments: '/etc/default/grub.d/99-zz-nodewave.cfg',
  fstab: '/etc/fstab',
  swapDropIn: '/etc/systemd/system/swap.d/10-nodewave.conf',
  localTime: '/etc/localtime',
  timeServers: '/etc/systemd/timesyncd.conf.d/50-nodewave.conf',
  passwd: '/etc/passwd',
  group: '/etc/group',
} as const

/** What the running kernel swaps to. */
export const SWAPS = '/proc/swaps'

export function sysctlSubject(name: string): string {
  return `/proc/sys/${sysctlPath(name)}`
}

export function moduleSubject(name: string): string {
  return `/sys/module/${moduleName(name)}`
}

/** Where distributions have certificates of their administrators put; the last one is Debian's. */
export const CERTIFICATE_PLACES = [
  { directory: '/etc/pki/ca-trust/source/anchors', suffix: 'pem' },
  { directory: '/etc/pki/trust/anchors', suffix: 'pem' },
  { directory: '/usr/local/share/ca-certificates', suffix: 'crt' },
] as const

export function certificateFile({ directory, suffix }: (typeof CERTIFICATE_PLACES)[number], name: string): string {
  return `${directory}/nodewave-${name}.${suffix}`
}

/** Below a home directory others than root may write; sshd reads this place when AuthorizedKeysFile names it. */
export function sshKeysFile(user: string): string {
  return `/etc/ssh/authorized_keys.d/${user}`
}

type Sections = { readonly [Key in keyof HostDocument]-?: NonNullable<HostDocument[Key]> }
type PathsOf = { readonly [Key in keyof Sections]: (value: Sections[Key]) => readonly string[] }

const none = (): readonly string[] => []

/** Every section has to be here: one that is forgotten would get around whatever limits paths. */
const PATHS_OF: PathsOf = {
  sysctls: (sysctls) => [...Object.keys(sysctls).map(sysctlSubject), SECTION_FILES.sysctls],
  kernelModules: (modules) => [...modules.map(moduleSubject), SECTION_FILES.kernelModules],
  kernelArguments: () => [SECTION_FILES.kernelArguments],
  swap: () => [SWAPS, SECTION_FILES.fstab, SECTION_FILES.swapDropIn],
  time: ({ zone, ntp }) => [
    ...(zone === undefined ? [] : [SECTION_FILES.localTime]),
    ...(ntp === undefined ? [] : [SECTION_FILES.timeServers]),
  ],
  // The same name for the owners of all hosts, wherever the file is.
  certificates: (certificates) => certificates.map(({ name }) => `/etc/ssl/certs/nodewave-${name}`),
  staticPods: (pods) => pods.map(({ path }) => path),
  repositories: (repositories) => repositories.flatMap(pathsOfRepository),
  // A group may give its members the rights of root.
  groups: (groups) => (groups.length > 0 ? [SECTION_FILES.group] : []),
  users: (users) => (users.length > 0 ? [SECTION_FILES.passwd, ...users.flatMap(pathsOfUser)] : []),

  // These name their paths, or have rules of their own.
  files: none,
  edits: none,
  directories: none,
  links: none,
  archives: none,
  units: none,
  packages: none,
  kubelet: none,
  // No paths of the host.
  node: none,
  drift: none,
  rebootOn: none,
  // The owner of the host has named what they run.
  steps: none,
}

function pathsOfRepository({ name, dnf, zypper }: HostRepository): readonly string[] {
  if (zypper !== undefined) return [zypperRepositoryFile(name), rpmKeyFile(name)]
  return dnf === undefined ? [aptSourcesFile(name)] : [dnfRepositoryFile(name), rpmKeyFile(name)]
}

function pathsOfUser({ name, groups, sshKeys }: HostUser): readonly string[] {
  return [...(groups ? [SECTION_FILES.group] : []), ...(sshKeys ? [sshKeysFile(name)] : [])]
}

/** Pure: what the sections of a document write without naming it. */
export function unnamedPaths(document: HostDocument): string[] {
  return SECTIONS.flatMap((key) => pathsOf(key, document[key] as Sections[typeof key] | undefined))
}

/** Pure: the section that writes each of these paths, on hosts of any distribution. */
export function sectionsByPath(document: HostDocument): ReadonlyMap<string, keyof HostDocument> {
  const unnamed = SECTIONS.flatMap((key) =>
    pathsOf(key, document[key] as Sections[typeof key] | undefined).map((path) => [path, key] as const),
  )
  const certificates = (document.certificates ?? []).flatMap(({ name }) =>
    CERTIFICATE_PLACES.map((place) => [certificateFile(place, name), 'certificates'] as const),
  )
  // It adds to a file of others, and no section of ours writes that as a whole.
  const edited = (document.edits ?? []).map(({ path }) => [path, 'edits'] as const)
  return new Map([...edited, ...unnamed, ...certificates])
}

const SECTIONS = Object.keys(PATHS_OF) as (keyof Sections)[]

function pathsOf<Key extends keyof Sections>(key: Key, value: Sections[Key] | undefined): readonly string[] {
  return value === undefined ? [] : PATHS_OF[key](value)
}
