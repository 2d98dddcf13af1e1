/** Who has an account on the host. What is there is read from /etc/passwd and /etc/group. */
export interface AccountManager {
  addGroup(group: NewGroup): Promise<void>
  removeGroup(name: string): Promise<void>
  /** Without a password, and without making the home directory. */
  addUser(user: NewUser): Promise<void>
  changeUser(name: string, change: UserChange): Promise<void>
  /** The home directory stays. */
  removeUser(name: string): Promise<void>
}

export interface NewGroup {
  readonly name: string
  readonly gid?: number | undefined
  /** Takes a number from those for services. */
  readonly system?: boolean | undefined
}

export interface NewUser extends UserChange {
  readonly name: string
  readonly uid?: number | undefined
  /** The primary group, which is there; undefined: a new one with the user's name. */
  readonly group?: string | undefined
  readonly system?: boolean | undefined
}

/** What is left out stays as it is. */
export interface UserChange {
  readonly shell?: string | undefined
  readonly home?: string | undefined
  /** All supplementary groups. */
  readonly groups?: readonly string[] | undefined
}
