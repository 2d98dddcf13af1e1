interface Accounts {
  readonly users?: readonly { readonly name: string; readonly sshKeys?: readonly string[] | undefined }[] | undefined
  readonly groups?: readonly unknown[] | undefined
}

/** Below a home directory others than root may write; sshd reads this place when AuthorizedKeysFile names it. */
export function sshKeysFile(name: string): string {
  return `/etc/ssh/authorized_keys.d/${name}`
}

/** What the accounts of a host document change, for those that limit paths. */
export function accountPaths({ users = [], groups = [] }: Accounts): string[] {
  return [
    ...(users.length > 0 ? ['/etc/passwd'] : []),
    ...(groups.length > 0 ? ['/etc/group'] : []),
    ...users.flatMap(({ name, sshKeys }) => (sshKeys === undefined ? [] : [sshKeysFile(name)])),
  ]
}
