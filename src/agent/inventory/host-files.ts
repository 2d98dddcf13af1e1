import type { HostInventory, InventoryFile } from '../../protocol/host-inventory.ts'
import { KUBEADM_DROP_INS } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { mayHoldSecret } from './credentials.ts'
import { FILE_DIRECTORIES, FILES, REGISTRIES, REPOSITORY_FILES } from './interests.ts'
import type { InventoryPorts } from './inventory-ports.ts'

/** What is longer is no file that a person wrote. */
const LONGEST = 64 * 1024

export interface FoundFiles {
  readonly files: readonly InventoryFile[]
  readonly omitted: HostInventory['omitted']
}

/** Files of the administrator around the kubelet. What is as a package brought it, and what may hold a secret, is left out. */
export async function readHostFiles({ files, packages }: Pick<InventoryPorts, 'files' | 'packages'>): Promise<FoundFiles> {
  const found: InventoryFile[] = []
  const omitted: { path: string; why: string }[] = []
  const paths = await candidates(files)
  const unedited = await packages.unedited(paths).catch((): readonly string[] => [])
  for (const path of paths) {
    if (unedited.includes(path) || path.includes('nodewave') || KUBEADM_DROP_INS.some((known) => known === path)) continue
    const file = await readOne(files, path).catch((error: Error) => error.message)
    if (typeof file === 'string') omitted.push({ path, why: file })
    else if (file !== undefined) found.push(file)
  }
  return { files: found, omitted }
}

async function candidates(files: HostFiles): Promise<string[]> {
  const found: string[] = []
  for (const [directory, ending] of FILE_DIRECTORIES)
    found.push(...(await namesIn(files, directory)).filter((name) => name.endsWith(ending)).map((name) => `${directory}/${name}`))
  for (const [directory, wanted] of REPOSITORY_FILES)
    found.push(...(await namesIn(files, directory)).filter((name) => wanted.test(name)).map((name) => `${directory}/${name}`))
  for (const name of await namesIn(files, REGISTRIES.directory)) found.push(`${REGISTRIES.directory}/${name}/${REGISTRIES.file}`)
  return [...found, ...FILES].sort()
}

/** @returns undefined when there is no such file, a text why it is not copied */
async function readOne(files: HostFiles, path: string): Promise<InventoryFile | string | undefined> {
  const stat = await files.stat(path)
  // A link belongs to who made it, as /etc/sysctl.d/99-sysctl.conf to the distribution.
  if (stat?.type !== 'file') return undefined
  if (stat.size > LONGEST) return `it has ${stat.size} bytes`
  const bytes = await files.read(path)
  if (bytes === undefined) return undefined
  const content = Buffer.from(bytes).toString()
  if (content.includes('\0') || Buffer.compare(Buffer.from(content), bytes) !== 0) return 'it is no text'
  if (mayHoldSecret(content)) return 'it may hold a secret'
  return { path, content, mode: `0${stat.mode.toString(8)}`.slice(-4), uid: stat.uid, gid: stat.gid }
}

/** Empty when there is no such directory, or when others than root could lead elsewhere. */
export async function namesIn(files: HostFiles, directory: string): Promise<string[]> {
  return files.list(directory).catch(() => [])
}
