interface StatedDirectory {
  readonly path: string
  readonly mode?: string | undefined
  readonly owner?: string | undefined
}

export interface DirectoryRefusal {
  readonly because: string
  readonly remedy: string
}

/** What every host and the agent need below their directories. */
const NEEDED = [
  '/etc/kubernetes/manifests',
  '/etc/nodewave/trusted-keys',
  '/etc/systemd/system',
  '/opt/cni/bin',
  '/root/.ssh',
  '/run/systemd',
  '/usr/bin',
  '/usr/lib/systemd/system',
  '/usr/local/bin',
  '/usr/local/sbin',
  '/usr/sbin',
  '/var/lib/kubelet',
  '/var/lib/nodewave',
]
/** Programs of all users read what is below. */
const OPEN = [
  '/etc',
  '/home',
  '/opt',
  '/run',
  '/usr',
  '/usr/bin',
  '/usr/lib',
  '/usr/local',
  '/usr/sbin',
  '/var',
  '/var/lib',
  '/var/log',
]
/** All users write there, and take away nothing of others. */
const SHARED = ['/tmp', '/var/tmp', '/dev/shm']

const WRITABLE_BY_OTHERS = 0o022
const ENTERED_BY_OTHERS = 0o055

/** Pure: why a host would be lost with the directory as it is stated; undefined: it would not. */
export function directoryRefusal({ path, mode, owner }: StatedDirectory): DirectoryRefusal | undefined {
  const bits = mode === undefined ? undefined : Number.parseInt(mode, 8)
  if (SHARED.includes(path) && bits !== undefined && bits !== 0o1777)
    return { because: `mode "${mode}" would lock out the users of it`, remedy: 'leave out the mode' }
  const isNeeded = NEEDED.some((place) => `${place}/`.startsWith(`${path}/`))
  if (isNeeded && (owner ?? 'root') !== 'root' && owner !== '0')
    return { because: `"${owner}" could exchange what the host runs and the agent trusts`, remedy: 'leave it to root' }
  if (isNeeded && ((bits ?? 0) & WRITABLE_BY_OTHERS) !== 0)
    return {
      because: `mode "${mode}" would let others than root exchange what the host runs and the agent trusts`,
      remedy: 'leave out the mode, or write "0755"',
    }
  if (OPEN.includes(path) && bits !== undefined && (bits & ENTERED_BY_OTHERS) !== ENTERED_BY_OTHERS)
    return { because: `mode "${mode}" would lock out every program that does not run as root`, remedy: 'leave out the mode' }
  return undefined
}
