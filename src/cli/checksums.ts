import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { applied, type Edit } from './checksums/edits.ts'
import { fetchChecksum } from './checksums/fetch-checksum.ts'
import { missingChecksums } from './checksums/missing-checksums.ts'
import type { CliIo } from './cli-io.ts'
import { asDocument } from './documents.ts'
import { readFiles } from './read-fleet.ts'

interface ChecksumOptions {
  readonly from?: string
  readonly write?: boolean
  readonly output: keyof typeof FORMATS
}

interface Found {
  readonly file: string
  /** `kubelet 1.36.4`, or a URL. */
  readonly of: string
  /** Empty: the same file for all. */
  readonly arch: string
  readonly sha256: string
}

const FORMATS = {
  text: (found: readonly Found[]) => (found.length === 0 ? 'no checksum is missing\n' : found.map(lineOf).join('')),
  json: (found: readonly Found[]) => asDocument({ checksums: found }, 'json'),
  yaml: (found: readonly Found[]) => asDocument({ checksums: found }, 'yaml'),
} as const

export function checksumsCommand(io: CliIo): Command {
  return new Command('checksums')
    .description('print the checksums of downloads that a fleet repository lacks, such as of a new kubelet version')
    .argument('[path]', 'folder of the fleet', '.')
    .option(
      '--from <rev>',
      'commit before the change: a checksum whose URL changed since is replaced. Default: only missing ones',
    )
    .option('--write', 'write them into the files')
    .addOption(new Option('-o, --output <format>', 'output format').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', '\nExample:\n  $ nodewave checksums fleet/ --from origin/main --write')
    .action((path: string, options: ChecksumOptions) => checksums(io, path, options))
}

/** Nothing is written unless all could be had. */
async function checksums(io: CliIo, path: string, { from, write = false, output }: ChecksumOptions): Promise<void> {
  const texts = await yamlIn(io, { path })
  const missing = missingChecksums(texts, from === undefined ? undefined : await yamlIn(io, { path, revision: from }))
  const found: Found[] = []
  const edits: { readonly file: string; readonly edits: readonly Edit[] }[] = []
  for (const each of missing) {
    const sums = new Map<string, string>()
    for (const [arch, url] of each.urls) {
      const { sha256, from } = await fetchChecksum(url, each)
      sums.set(arch, sha256)
      if (from.startsWith('http:')) io.stderr(plainText(from))
    }
    edits.push({ file: each.path, edits: each.edits(sums) })
    for (const [arch, sha256] of sums) found.push({ file: each.path, of: each.what, arch, sha256 })
  }
  if (write)
    for (const [file, ofFile] of Map.groupBy(edits, (edit) => edit.file)) {
      const place = join(resolve(io.cwd, path), file)
      const all = ofFile.flatMap((edit) => edit.edits)
      await writeFile(place, applied(await readFile(place, 'utf8'), all))
    }
  io.stdout(FORMATS[output](found))
  io.exit(write || missing.length === 0 ? 0 : 1)
}

function plainText(url: string): string {
  return `warning: "${url}" is not encrypted, so anybody on the way can change the checksum; compare it with another source\n`
}

function lineOf({ file, of, arch, sha256 }: Found): string {
  return `${file}: ${of}${arch === '' ? '' : ` ${arch}`} ${sha256}\n`
}

async function yamlIn(
  io: CliIo,
  source: { readonly path: string; readonly revision?: string },
): Promise<ReadonlyMap<string, string>> {
  const files = [...(await readFiles(io, source))].filter(([path]) => /\.ya?ml$/.test(path))
  return new Map(files.flatMap(([path, file]) => (file.kind === 'file' ? [[path, Buffer.from(file.bytes).toString()]] : [])))
}
