import type { PackageArchive } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Outcome } from '../run-program.ts'
import { packageKey } from './package-key.ts'
import { complaintOf } from './rpm-text.ts'

type Run = (program: string, args: readonly string[]) => Promise<Outcome>

const IDENTITY = '%{NAME}\\t%|EPOCH?{%{EPOCH}:}|%{VERSION}-%{RELEASE}\\t%{ARCH}\\n'
const FILES = '[%{FILEMODES:octal} %{FILENAMES}\\n]'

export interface FoundArchive extends PackageArchive {
  readonly path: string
}

export async function identify(paths: readonly string[], run: Run): Promise<FoundArchive[]> {
  const found: FoundArchive[] = []
  for (const path of paths) {
    const [name = '', version = '', architecture = ''] = (await query(path, { format: IDENTITY, run })).trim().split('\t')
    found.push({ name: packageKey({ name, architecture }), version, architecture, path })
  }
  return found
}

/** Regular files: neither directories nor links. */
export async function filesIn(path: string, run: Run): Promise<string[]> {
  const lines = (await query(path, { format: FILES, run })).split('\n')
  return lines.flatMap((line) => /^0?100\d{3} (\/.*)$/.exec(line)?.[1] ?? [])
}

/** Given a name, rpm2archive writes beside the package; from rpm 6 on it does not. From its input, all write to their output. */
const UNPACK = 'umask 077; rpm2archive - < "$1" > "$2"'

export async function unpack(
  path: string,
  { directory, files, run }: { readonly directory: string; readonly files: HostFiles; readonly run: Run },
): Promise<void> {
  await files.writeAtomic(`${directory}/.unpacked`, new Uint8Array())
  const packed = `${path}.tgz`
  await succeed('sh', ['-c', UNPACK, 'sh', path, packed], run)
  await succeed('tar', ['--extract', '--gzip', `--file=${packed}`, `--directory=${directory}`], run)
  await files.remove(packed)
}

function query(path: string, { format, run }: { readonly format: string; readonly run: Run }): Promise<string> {
  return succeed('rpm', ['-qp', '--queryformat', format, path], run)
}

async function succeed(program: string, args: readonly string[], run: Run): Promise<string> {
  const { code, stdout, stderr } = await run(program, args)
  if (code !== 0) throw new Error(`${program} "${args.at(-1)}": ${complaintOf(stderr)}`)
  return stdout
}
