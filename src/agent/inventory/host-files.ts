import type { HostInventory, InventoryFile } from '../../protocol/host-inventory.ts'
import { KUBEADM_DROP_INS } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { mayHoldSecret } from './credentials.ts'
import { FILE_DIRECTORIES, FILES, REGISTRIES } from './interests.ts'

/** What is longer is no file that a person wrote. */
const LONGEST = 64 * 1024

export interface FoundFiles {
  readonly files: readonly InventoryFile[]
  readonly omitted: HostInventory['omitted']
}

/** Files of the administrator around the kubelet. What a package brought, and what may hold a secret, is left out. */
export async function readHostFiles(files: HostFiles): Promise<FoundFiles> {
  const packaged = await conffiles(files)
  const found: InventoryFile[] = []
  const omitted: { path: string; why: string }[] = []
  for (const path of await candidates(files)) {
    if (packaged.has(path) || path.includes('nodewave') || KUBEADM_DROP_INS.some((known) => known === path)) continue
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

/** Configuration files that packages of Debian brought: a repository has no need of them. */
async function conffiles(files: HostFiles): Promise<ReadonlySet<string>> {
  const directory = '/var/lib/dpkg/info'
  const lists = (await namesIn(files, directory)).filter((name) => name.endsWith('.conffiles'))
  const texts: string[] = []
  for (const name of lists) texts.push(Buffer.from((await files.read(`${directory}/${name}`)) ?? []).toString())
  return new Set(texts.flatMap((text) => text.split('\n')))
}

/** Empty when there is no such directory, or when others than root could lead elsewhere. */
export async function namesIn(files: HostFiles, directory: string): Promise<string[]> {
  return files.list(directory).catch(() => [])
}
