import { AgentError } from '../agent-error.ts'
import type { HostFiles } from '../ports.ts'

/** @returns the numbers behind `owner` and `group`, as this host's own /etc/passwd and /etc/group have them. */
export async function resolveOwner(
  files: HostFiles,
  { owner, group }: { readonly owner?: string | undefined; readonly group?: string | undefined },
): Promise<{ readonly uid?: number; readonly gid?: number }> {
  return {
    ...(owner === undefined ? {} : { uid: await lookUp(files, '/etc/passwd', owner) }),
    ...(group === undefined ? {} : { gid: await lookUp(files, '/etc/group', group) }),
  }
}

/** Both files have the name first and the number third. */
async function lookUp(files: HostFiles, path: string, name: string): Promise<number> {
  if (/^\d{1,9}$/.test(name)) return Number(name)
  if (name === 'root') return 0
  const lines = Buffer.from((await files.read(path)) ?? [])
    .toString()
    .split('\n')
  const fields = lines.map((line) => line.split(':')).find(([found]) => found === name)
  const id = Number(fields?.[2])
  if (fields !== undefined && Number.isInteger(id)) return id
  throw new AgentError(`own a file by "${name}": ${path} has no such name`, { kind: 'validate', reason: 'UnknownOwner' })
}
