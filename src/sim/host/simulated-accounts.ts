import type { AccountManager, UserChange } from '../../agent/account-manager.ts'
import type { MemoryFiles } from './memory-files.ts'

type Line = string[]

/** Changes /etc/passwd and /etc/group as the programs of shadow-utils do. */
export function simulatedAccounts(files: MemoryFiles): AccountManager {
  const read = (path: string): Line[] => (files.text(path) ?? '').split('\n').flatMap((line) => (line ? [line.split(':')] : []))
  const write = (path: string, lines: readonly Line[]) => files.put(path, lines.map((line) => `${line.join(':')}\n`).join(''))
  const passwd = () => read('/etc/passwd')
  const group = () => read('/etc/group')
  const free = (lines: readonly Line[], system = false): number => {
    const taken = lines.map(([, , id]) => Number(id))
    for (let id = system ? 999 : 1000; ; id += system ? -1 : 1) if (!taken.includes(id)) return id
  }
  const numberOf = (name: string): string =>
    group().find(([found]) => found === name)?.[2] ?? fail(`group '${name}' does not exist`)

  const addGroup = (name: string, gid: number): void => {
    if (group().some(([found]) => found === name)) fail(`group '${name}' already exists`)
    write('/etc/group', [...group(), [name, 'x', String(gid), '']])
  }
  const change = (name: string, { shell, home, groups }: UserChange): void => {
    write(
      '/etc/passwd',
      passwd().map((line) => (line[0] === name ? changed(line, { shell, home }) : line)),
    )
    if (groups === undefined) return
    for (const wanted of groups) numberOf(wanted)
    write(
      '/etc/group',
      group().map((line) => withMember(line, { name, isMember: groups.includes(line[0] ?? '') })),
    )
  }
  return {
    addGroup: async ({ name, gid, system }) => addGroup(name, gid ?? free(group(), system)),
    removeGroup: async (name) => {
      const gid = numberOf(name)
      if (passwd().some(([, , , primary]) => primary === gid)) fail(`cannot remove the primary group of user '${name}'`)
      write(
        '/etc/group',
        group().filter(([found]) => found !== name),
      )
    },
    addUser: async ({ name, uid, group: primary, system, ...more }) => {
      if (passwd().some(([found]) => found === name)) fail(`user '${name}' already exists`)
      const id = uid ?? free(passwd(), system)
      if (primary === undefined) addGroup(name, free(group(), system))
      write('/etc/passwd', [...passwd(), [name, 'x', String(id), numberOf(primary ?? name), '', `/home/${name}`, '/bin/sh']])
      change(name, more)
    },
    changeUser: async (name, more) => change(name, more),
    removeUser: async (name) => {
      const gid = passwd().find(([found]) => found === name)?.[3] ?? fail(`user '${name}' does not exist`)
      write(
        '/etc/passwd',
        passwd().filter(([found]) => found !== name),
      )
      const left = group().map((line) => withMember(line, { name, isMember: false }))
      // As with USERGROUPS_ENAB, which is the default everywhere.
      write(
        '/etc/group',
        left.filter(([found, , id, members]) => found !== name || id !== gid || members !== ''),
      )
    },
  }
}

function changed(line: Line, { shell, home }: UserChange): Line {
  return line.map((field, index) => (index === 5 ? (home ?? field) : index === 6 ? (shell ?? field) : field))
}

function withMember(
  [name = '', password = '', gid = '', members = '']: Line,
  { name: user, isMember }: { name: string; isMember: boolean },
): Line {
  const others = members.split(',').filter((member) => member !== '' && member !== user)
  return [name, password, gid, [...others, ...(isMember ? [user] : [])].join(',')]
}

function fail(message: string): never {
  throw new Error(message)
}
