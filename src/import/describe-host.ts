import { isSysctlFile, readerOf, serviceReading, unitOfFile } from '../protocol/file-readers.ts'
import type { HostInventory, InventoryFile } from '../protocol/host-inventory.ts'
import { stopsForwarding, sysctlLine } from '../protocol/sysctl-rules.ts'
import { systemSettings } from '../repo/schema/system-settings.ts'
import { type FileContent, type HostContent, type Remark, remark, type UnitContent } from './subject.ts'

const ZONES = '/usr/share/zoneinfo/'
/** What the boot loader always says. */
const OF_THE_MACHINE = /^(?:BOOT_IMAGE|root|ro|rw|quiet|splash|initrd|console)(?:=|$)/
export const NO_HOST: HostContent = { files: {}, units: {}, packages: {}, time: {}, settings: {} }

/** What stands around the kubelet, as far as managing it changes nothing on the host. */
export function describeHost(inventory: HostInventory): HostContent {
  const { packages, localTime } = inventory
  const zone = zoneOf(localTime)
  const plain = inventory.files.filter(
    (file) => !isDropIn(file.path) && readerOf(file.path)?.kind !== 'refused' && !isHarmful(file),
  )
  return {
    files: Object.fromEntries(plain.map((file) => [file.path, fileContent(file)])),
    units: unitsOf(inventory, plain),
    packages: Object.fromEntries(packages.map(({ name, version, held }) => [name, held ? { version } : {}])),
    time: zone === undefined ? {} : { zone },
    settings: inventory.swapOff ? { swap: 'off' } : {},
  }
}

/** Of a link such as `/usr/share/zoneinfo/posix/Europe/Berlin`, nobody else knows the zone. */
function zoneOf(localTime: string | undefined): string | undefined {
  const zone = localTime?.startsWith(ZONES) ? localTime.slice(ZONES.length) : undefined
  return systemSettings.time.safeParse({ zone }).success ? zone : undefined
}

/** It says of every node what no pool may say. */
function isHarmful({ path, content }: InventoryFile): boolean {
  return (
    isSysctlFile(path) &&
    content
      .split('\n')
      .flatMap(sysctlLine)
      .some(([name, value]) => stopsForwarding(name, value) !== undefined)
  )
}

function isDropIn(path: string): boolean {
  return unitOfFile(path) !== undefined
}

/** Those that run at boot, and those that have drop-ins or read files of the repository. */
function unitsOf({ units, files }: HostInventory, plain: readonly InventoryFile[]): HostContent['units'] {
  const dropIns = Map.groupBy(
    files.filter(({ path }) => isDropIn(path)),
    ({ path }) => unitOfFile(path) ?? '',
  )
  const readFiles = Map.groupBy(
    plain.filter(({ path }) => serviceReading(path) !== undefined),
    ({ path }) => serviceReading(path) ?? '',
  )
  const running = new Set(units.flatMap(({ name, enabled, running }) => (enabled && running ? [name] : [])))
  const names = [...new Set([...running, ...dropIns.keys(), ...readFiles.keys()])].sort()
  return Object.fromEntries(
    names.map((name): [string, UnitContent] => {
      const texts = (dropIns.get(name) ?? []).map(
        ({ path, content }) => [path.slice(path.lastIndexOf('/') + 1), content] as const,
      )
      const restartOn = (readFiles.get(name) ?? []).map(({ path }) => path)
      return [
        name,
        {
          ...(texts.length === 0 ? {} : { dropIns: Object.fromEntries(texts) }),
          ...(running.has(name) ? { enabled: true, state: 'running' } : {}),
          ...(restartOn.length === 0 ? {} : { restartOn }),
        },
      ]
    }),
  )
}

/** Mode and owner are stated where a new file would get others. */
function fileContent({ content, mode, uid, gid }: InventoryFile): FileContent {
  return {
    content,
    ...(mode === '0644' ? {} : { mode }),
    ...(uid === 0 ? {} : { owner: String(uid) }),
    ...(gid === 0 ? {} : { group: String(gid) }),
  }
}

/** What the host has and the repository does not say. */
export function hostRemarks(inventory: HostInventory): Remark[] {
  const { kernelArguments, repositories, certificates, omitted, files, localTime } = inventory
  const added = kernelArguments.split(/\s+/).filter((word) => word !== '' && !OF_THE_MACHINE.test(word))
  return [
    ...swapRemarks(inventory),
    ...files.filter(isHarmful).map(({ path }) =>
      remark('host', path, {
        why: 'it switches forwarding off at each boot, and something else switches it on again for pods',
        remedy: 'it stays on the host; take the line out there',
      }),
    ),
    ...(localTime?.startsWith(ZONES) && zoneOf(localTime) === undefined
      ? [
          remark('host', `/etc/localtime → ${localTime}`, {
            why: 'that is no name of a time zone',
            remedy: 'set time.zone when all are to have one',
          }),
        ]
      : []),
    ...(files.some(({ path }) => path.startsWith('/etc/sysctl.d/') || path.startsWith('/etc/modules-load.d/'))
      ? [
          remark('host', 'kernel settings and modules in files', {
            why: 'as files they count at the next boot; sysctls and kernelModules also set and prove them at once',
            remedy: 'write them as sysctls and kernelModules instead, and the files with state: absent',
          }),
        ]
      : []),
    ...(added.length === 0
      ? []
      : [
          remark('host', `kernel arguments: ${added.join(' ')}`, {
            why: 'kernelArguments adds to those of the host, and each node reboots for it',
            remedy: proposed(added),
          }),
        ]),
    ...listRemark(
      'repositories',
      repositories.filter((path) => !files.some((file) => file.path === path)),
      {
        why: 'a repository here is a file of its own, and apt refuses the same one twice',
        entry: '{name, apt: {url, suite, components, keyFrom}}, of rpm {name, dnf: {url, keyFrom}} or zypper',
      },
    ),
    ...listRemark('certificates', certificates, { why: 'a certificate here is a file of its own', entry: '{name, from}' }),
    ...staticPodRemarks(inventory.staticPods ?? []),
    ...omitted.map(({ path, why }) => remark('host', path, { why, remedy: path.startsWith('/') ? OF_A_FILE : OF_PACKAGES })),
  ]
}

const OF_A_FILE = 'it stays on the host; for a secret use contentFrom with sopsFile'
const OF_PACKAGES = 'run "nodewave agent import" there again when they can be'

function swapRemarks({ swaps, swapOff }: HostInventory): Remark[] {
  if (swapOff) return []
  if (swaps.length > 0)
    return [
      remark('host', `swap: ${swaps.join(', ')}`, {
        why: '"swap: off" would switch it off',
        remedy: 'drain the nodes, and add swap: off',
      }),
    ]
  return [
    remark('host', 'swap is off', {
      why: '"swap: off" also keeps it off at the next boot, by a file for systemd or by the lines of /etc/fstab',
      remedy: 'add swap: off in a later commit',
    }),
  ]
}

const OF_KUBEADM = /\/(?:kube-apiserver|etcd|kube-controller-manager|kube-scheduler)\.yaml$/

function staticPodRemarks(paths: readonly string[]): Remark[] {
  const [ofKubeadm, others] = [true, false].map((is) => paths.filter((path) => OF_KUBEADM.test(path) === is).join(', '))
  return [
    ...(ofKubeadm
      ? [
          remark('host', `static pods of the control plane: ${ofKubeadm}`, {
            why: 'kubeadm writes them again at each upgrade',
            remedy: 'leave them to kubeadm',
          }),
        ]
      : []),
    ...(others
      ? [
          remark('host', `static pods: ${others}`, {
            why: 'one from the repository has an annotation of nodewave, for which the kubelet starts the pod again',
            remedy: 'to manage them, write the manifests under staticPods, with these paths, in a commit of its own',
          }),
        ]
      : []),
  ]
}

/** The field with what it takes: what was hidden, or keeps a machine from coming up, is not among it. */
function proposed(words: readonly string[]): string {
  const taken = words.filter((word) => systemSettings.kernelArguments.safeParse([word]).success)
  if (taken.length === 0) return 'leave them to the host'
  return `to have nodewave keep them, add kernelArguments: [${taken.map((word) => JSON.stringify(word)).join(', ')}]`
}

function listRemark(
  section: string,
  paths: readonly string[],
  { why, entry }: { readonly why: string; readonly entry: string },
): Remark[] {
  if (paths.length === 0) return []
  const remedy = `write each under ${section} as ${entry}, and these files with state: absent, in one commit`
  return [remark('host', `${section}: ${paths.join(', ')}`, { why, remedy })]
}
