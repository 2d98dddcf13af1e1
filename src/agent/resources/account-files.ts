import { SECTION_FILES } from '../../protocol/written-paths.ts'
import type { HostFiles } from '../ports.ts'

export interface UserEntry {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
  readonly shell: string
}

export interface GroupEntry {
  readonly name: string
  readonly gid: number
  readonly members: readonly string[]
}

export async function usersOf(files: HostFiles): Promise<UserEntry[]> {
  return (await fieldsOf(SECTION_FILES.passwd, files)).map(([name = '', , uid, gid, , home = '', shell = '']) => ({
    name,
    uid: Number(uid),
    gid: Number(gid),
    home,
    shell,
  }))
}

export async function groupsOf(files: HostFiles): Promise<GroupEntry[]> {
  return (await fieldsOf(SECTION_FILES.group, files)).map(([name = '', , gid, members = '']) => ({
    name,
    gid: Number(gid),
    members: members.split(',').filter((member) => member !== ''),
  }))
}

/** Both files have one entry a line, and colons between its fields. */
async function fieldsOf(path: string, files: HostFiles): Promise<string[][]> {
  const text = Buffer.from((await files.read(path)) ?? []).toString()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(':'))
}
