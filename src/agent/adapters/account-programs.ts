import type { AccountManager, UserChange } from '../account-manager.ts'
import { runProgram } from './run-program.ts'

/** The programs of shadow-utils: they lock the files, and know of /etc/shadow and /etc/subuid. @param root another root directory */
export function accountPrograms(root = '/', run: typeof runProgram = runProgram): AccountManager {
  const act = async (program: string, args: readonly string[], name: string): Promise<void> => {
    // A name never begins with a dash.
    const { code, stderr } = await run(program, [...(root === '/' ? [] : ['--prefix', root]), ...args, name])
    if (code !== 0) throw new Error(`${program} ${name}: exit ${code}: ${stderr.trim()}`)
  }
  return {
    addGroup: ({ name, gid, system }) => act('groupadd', [...numbered('--gid', gid), ...(system ? ['--system'] : [])], name),
    removeGroup: (name) => act('groupdel', [], name),
    addUser: ({ name, uid, group, system, ...change }) => {
      const primary = group === undefined ? ['--user-group'] : ['--no-user-group', '--gid', group]
      const options = [...numbered('--uid', uid), ...primary, ...(system ? ['--system'] : []), '--no-create-home']
      return act('useradd', [...options, ...changes(change)], name)
    },
    changeUser: (name, change) => act('usermod', changes(change), name),
    removeUser: (name) => act('userdel', [], name),
  }
}

function changes({ shell, home, groups }: UserChange): string[] {
  return [
    ...(shell === undefined ? [] : ['--shell', shell]),
    ...(home === undefined ? [] : ['--home', home]),
    ...(groups === undefined ? [] : ['--groups', groups.join(',')]),
  ]
}

function numbered(option: string, value: number | undefined): string[] {
  return value === undefined ? [] : [option, String(value)]
}
