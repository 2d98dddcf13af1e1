import type { ServiceManager } from '../ports.ts'
import type { Contact } from '../state/contact.ts'

/** What installing needs of a host. The adapter is `src/agent/adapters/real-install-host.ts`. */
export interface InstallHost {
  readonly services: Pick<ServiceManager, 'show' | 'start' | 'restart' | 'stop' | 'enable' | 'disable' | 'reload' | 'lastWords'>
  /** @returns the target, or undefined when there is no link. */
  readLink(path: string): Promise<string | undefined>
  /** The link leads to the old target or to the new one, never to none. */
  setLink(path: string, target: string): Promise<void>
  read(path: string): Promise<string | undefined>
  write(path: string, text: string): Promise<void>
  /** With all that is below it, file by file; nothing when it is not there. */
  remove(path: string): Promise<void>
  /** To another name in its directory; nothing when it is not there. @returns false where the file system renames no such directory */
  rename(path: string, name: string): Promise<boolean>
  /** Names in a directory; none when there is no such directory. */
  list(path: string): Promise<string[]>
  /** Of the agent that runs and has reached its Node. */
  contact(): Promise<Contact | undefined>
  /** Asks the agent to end once it has no change under way. */
  askToLeave(pid: number): void
  /** `elapsed` never jumps; `now` may, as when a machine that has just started learns the time. */
  readonly clock: { now(): number; elapsed(): number; sleep(milliseconds: number): Promise<void> }
  say(line: string): void
}
