import { AgentError } from '../../agent-error.ts'
import type { ResolveOptions } from '../../package-manager.ts'
import type { HostFiles } from '../../ports.ts'
import type { Outcome } from '../run-program.ts'

export interface SignatureOptions {
  readonly files: HostFiles
  /** For a keyring of our own: that of the host stays as it is. */
  readonly directory: string
  /** Directory of the files that name repositories. */
  readonly repositories: string
  readonly run: (program: string, args: readonly string[]) => Promise<Outcome>
}

/** @throws {AgentError} PackageNotSigned, unless each archive is signed by a key of a repository, or by one that rpm trusts already. */
export async function requireSigned(
  archives: readonly string[],
  upcoming: ResolveOptions['upcoming'],
  options: SignatureOptions,
): Promise<void> {
  const { run } = options
  const own = await keyring(upcoming, options)
  for (const archive of archives) {
    const answers: Outcome[] = []
    for (const database of [own, []]) answers.push(await run('rpmkeys', [...database, '--checksig', '--verbose', archive]))
    if (answers.some(isGood)) continue
    throw new AgentError(
      `verify "${archive.slice(archive.lastIndexOf('/') + 1)}": ${complaintOf(answers)}; list its repository with its key`,
      {
        kind: 'validate',
        reason: 'PackageNotSigned',
      },
    )
  }
}

/** rpmkeys ends without an error where there is no signature at all. */
function isGood({ code, stdout }: Outcome): boolean {
  return code === 0 && /signature, key (?:id|fingerprint:) [0-9a-f]+: OK/i.test(stdout)
}

function complaintOf(answers: readonly Outcome[]): string {
  const lines = answers.flatMap(({ stdout, stderr }) => `${stdout}\n${stderr}`.split('\n')).map((line) => line.trim())
  const bad = lines.filter((line) => /NOKEY|BAD|NOTTRUSTED|^error:/.test(line))
  return bad.length === 0 ? 'it has no signature' : [...new Set(bad)].join('; ').slice(0, 300)
}

/** Settings with which rpmkeys knows the keys that repositories name as files; those of the web are for dnf to ask about. */
async function keyring(upcoming: ResolveOptions['upcoming'], options: SignatureOptions): Promise<string[]> {
  const { files, directory, run } = options
  await files.removeTree(directory)
  const database = ['--dbpath', `${directory}/database`]
  await files.writeAtomic(`${directory}/database/.keep`, new Uint8Array())
  for (const [index, path] of (await keyFiles(upcoming, options)).entries()) {
    const bytes = upcoming.get(path) ?? (await files.read(path))
    if (bytes === undefined) continue
    await files.writeAtomic(`${directory}/${index}.asc`, bytes)
    await run('rpmkeys', [...database, '--import', `${directory}/${index}.asc`])
  }
  return database
}

async function keyFiles(
  upcoming: ResolveOptions['upcoming'],
  { files, repositories }: Pick<SignatureOptions, 'files' | 'repositories'>,
): Promise<string[]> {
  const texts = [...upcoming.values()].map((bytes) => Buffer.from(bytes ?? []).toString())
  for (const name of await files.list(repositories))
    if (name.endsWith('.repo')) texts.push(Buffer.from((await files.read(`${repositories}/${name}`)) ?? []).toString())
  const options = texts.flatMap((text) => text.match(GPG_KEY) ?? [])
  return [...new Set(options.flatMap((text) => [...text.matchAll(/\bfile:\/\/(\/[^\s,]+)/g)].flatMap(([, path]) => path ?? [])))]
}

/** With lines that begin with a blank, in which the option goes on. */
const GPG_KEY = /^gpgkey\s*=.*(?:\n[ \t]+\S.*)*/gm
