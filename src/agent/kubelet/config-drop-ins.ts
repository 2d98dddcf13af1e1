import type { Json } from '../../protocol/digest.ts'
import { KUBELET_UNIT, UNIT_DIRECTORIES } from '../paths.ts'
import type { HostFiles } from '../ports.ts'
import { kubeletDefinition } from '../service-managers.ts'
import { isTrustedDirectory } from '../trusted-directory.ts'
import { gitDocument, type JsonObject, lenientDocument, mergePatch } from './kubelet-document.ts'
import { flagValue } from './kubelet-flags.ts'

/**
 * Fields of Git's kubelet configuration that do not count, since a file behind `--config-dir` sets them otherwise: the kubelet merges those
 * files over its configuration, the last one wins.
 * @param options.args of the kubelet, as far as its layout knows them
 * @returns `file: field` for each
 */
export async function overriddenFields(
  config: string,
  { args, files }: { readonly args: readonly string[]; readonly files: HostFiles },
): Promise<string[]> {
  const directory = await configDirectory(args, files)
  if (directory === undefined) return []
  const wanted = gitDocument(config)
  const dropIns: DropIn[] = []
  for (const path of await confFiles(directory, files)) dropIns.push({ path, document: lenientDocument(await files.read(path)) })
  return findOverridden(wanted, dropIns)
}

/** @param args of the kubelet, as far as they are known */
export async function configDirectory(args: readonly string[], files: HostFiles): Promise<string | undefined> {
  return flagValue(args, 'config-dir')?.replace(/\/+$/, '') ?? (await directoryOfUnit(files))
}

export interface DropIn {
  readonly path: string
  readonly document: JsonObject
}

/** Pure. @param dropIns in the order in which the kubelet reads them */
export function findOverridden(wanted: JsonObject, dropIns: readonly DropIn[]): string[] {
  return leavesOf(wanted).flatMap((field) => {
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
  return dropIns.reduce((document, dropIn) => mergePatch(document, dropIn.document), wanted)
}

/** A list counts as a whole, as it does for the kubelet. */
function leavesOf(document: JsonObject, above: readonly string[] = []): string[][] {
  return Object.entries(document).flatMap(([key, value]) => {
    const path = [...above, key]
    return isObject(value) && Object.keys(value).length > 0 ? leavesOf(value, path) : [path]
  })
}

function valueAt(document: JsonObject, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), document)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
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
