/** Programs that make disks and run machines, in a root of their own: nothing is installed on the machine below. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { debianBase } from '../build/base.ts'
import { packageLayer } from '../build/package-layer.ts'

/** Where the programs see the working directory, and the tree that a disk is made of. */
export const WORK = '/srv'
export const TREE = '/media'

/** Its mounts are in a namespace of its own and go with it. */
const enter = `set -e
root=$1 work=$2 layers=$3 tree=$4
shift 4
mount -t overlay overlay -o "lowerdir=$layers" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount --bind "$work" "$root${WORK}"
[ -z "$tree" ] || mount -t overlay overlay -o "lowerdir=$tree" "$root${TREE}"
exec chroot "$root" "$@"`

export interface Workplace {
  /** What the programs read and write. */
  readonly work: string
  /** Layers of the tree, the uppermost first. */
  readonly tree?: readonly string[]
}

/** The command that runs `program` there; as a process it becomes the program. */
export async function withTools(
  { work, tree = [] }: Workplace,
  program: readonly string[],
): Promise<readonly [string, ...string[]]> {
  const base = await debianBase(() => undefined)
  const layers = [await packageLayer(base, 'emulator', ['qemu-system-x86', 'seabios', 'e2fsprogs', 'fdisk']), base]
  const root = join(work, 'tools')
  await mkdir(root, { recursive: true })
  const places = [root, work, layers.join(':'), tree.join(':')]
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', enter, 'enter', ...places, ...program]
}
