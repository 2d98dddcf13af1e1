import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../protocol/digest.ts'
import { applyMergePatch, isJsonObject, type JsonObject, leavesOf } from '../../protocol/merge-patch.ts'
import { KUBELET_UNIT, UNIT_DIRECTORIES } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import type { UpcomingFiles } from '../resources/kind.ts'
import { kubeletDefinition } from '../service-managers.ts'
import { isTrustedDirectory } from '../trusted-directory.ts'
import { gitDocument, lenientDocument } from './kubelet-document.ts'
import { flagValue } from './kubelet-flags.ts'
import type { KubeletSettings } from './state-files.ts'

/** The files behind `--config-dir`: the kubelet merges them over its configuration, the last one wins. One look: the unit is read at most once. */
export class KubeletDropIns {
  readonly #files: HostFiles
  #ofUnit: Promise<string | undefined> | undefined

  constructor(files: HostFiles) {
    this.#files = files
  }

  /**
   * Fields of Git's kubelet configuration that do not count, since such a file sets them otherwise.
   * @param args of the kubelet, as far as its layout knows them
   * @returns `file: field` for each
   */
  async overridden(config: string, args: readonly string[]): Promise<string[]> {
    return findOverridden(gitDocument(config), await this.#read(args))
  }

  /**
   * A configuration of the kubelet with what these files set.
   * @param upcoming files that a plan writes or removes
   */
  async over({ document, args }: KubeletSettings, upcoming?: UpcomingFiles): Promise<JsonObject> {
    return merged(document, await this.#read(args, upcoming))
  }

  /** @param args of the kubelet, as far as they are known */
  async directory(args: readonly string[]): Promise<string | undefined> {
    const named = flagValue(args, 'config-dir')?.replace(/\/+$/, '')
    if (named !== undefined) return named
    this.#ofUnit ??= directoryOfUnit(this.#files)
    return this.#ofUnit
  }

  async #read(args: readonly string[], upcoming: UpcomingFiles = new Map()): Promise<DropIn[]> {
    const directory = await this.directory(args)
    if (directory === undefined) return []
    const coming = [...upcoming.keys()].filter((path) => path.startsWith(`${directory}/`) && path.endsWith('.conf'))
    const paths = [...new Set([...(await confFiles(directory, this.#files)), ...coming])].toSorted(inOrderOfReading)
    const dropIns: DropIn[] = []
    for (const path of paths) {
      const bytes = upcoming.has(path) ? upcoming.get(path) : await this.#files.read(path)
      dropIns.push({ path, document: lenientDocument(bytes) })
    }
    return dropIns
  }
}

/** By the names of directories and files, one after the other. */
function inOrderOfReading(a: string, b: string): number {
  return a.replaceAll('/', '\0') < b.replaceAll('/', '\0') ? -1 : 1
}

export interface DropIn {
  readonly path: string
  readonly document: JsonObject
}

/** Pure. @param dropIns in the order in which the kubelet reads them */
export function findOverridden(wanted: JsonObject, dropIns: readonly DropIn[]): string[] {
  const leaves = Object.entries(wanted).flatMap(([key, value]) => leavesOf(value, [key]))
  return leaves.flatMap(({ path: field }) => {
    const own = valueAt(wanted, field)
    const path = lastToChange(field, { wanted, dropIns })
    const final = valueAt(merged(wanted, dropIns), field)
    return path === undefined || isSame(own, final) ? [] : [`${path}: ${field.join('.')}`]
  })
}

function lastToChange(
  field: readonly string[],
  { wanted, dropIns }: { readonly wanted: JsonObject; readonly dropIns: readonly DropIn[] },
): string | undefined {
  const index = dropIns.findLastIndex((_, at) => {
    const before = valueAt(merged(wanted, dropIns.slice(0, at)), field)
    return !isSame(before, valueAt(merged(wanted, dropIns.slice(0, at + 1)), field))
  })
  return dropIns[index]?.path
}

function merged(wanted: JsonObject, dropIns: readonly DropIn[]): JsonObject {
  return dropIns.reduce((document, dropIn) => applyMergePatch(document, dropIn.document), wanted)
}

function valueAt(document: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), document)
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return isDeepStrictEqual(a, b)
}

/** As the kubelet reads them: by name, directories in their place. */
async function confFiles(directory: string, files: HostFiles): Promise<string[]> {
  const found: string[] = []
  for (const name of await files.list(directory)) {
    const path = `${directory}/${name}`
    const type = (await files.stat(path))?.type
    if (type === 'directory') found.push(...(await confFiles(path, files)))
    else if (type === 'file' && name.endsWith('.conf')) found.push(path)
  }
  return found
}

/** Where other service managers have what starts the kubelet. */
const KUBELET_SCRIPTS = [...kubeletDefinition('openrc'), ...kubeletDefinition('runit')]

/** The kubelet's unit and its drop-ins may name the directory too. */
async function directoryOfUnit(files: HostFiles): Promise<string | undefined> {
  for (const directory of UNIT_DIRECTORIES) {
    if (!(await isTrustedDirectory(directory, files))) continue
    const dropIns = (await files.list(`${directory}/${KUBELET_UNIT}.d`)).map((name) => `${directory}/${KUBELET_UNIT}.d/${name}`)
    const named = await firstNamed([...dropIns, `${directory}/${KUBELET_UNIT}`], files)
    if (named !== undefined) return named
  }
  return firstNamed(KUBELET_SCRIPTS, files)
}

async function firstNamed(paths: readonly string[], files: HostFiles): Promise<string | undefined> {
  for (const path of paths) {
    if ((await files.stat(path))?.type !== 'file') continue
    const text = Buffer.from((await files.read(path)) ?? []).toString()
    const named = /^[^#;\n]*--config-dir[= ]"?(\/[^\s"]+)/m.exec(text)?.[1]
    if (named !== undefined) return named.replace(/\/+$/, '')
  }
  return undefined
}
