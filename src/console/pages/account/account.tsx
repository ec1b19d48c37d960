import { PageHead } from '../../parts/surfaces.tsx'
import { session } from '../../state/session.ts'
import { Passkeys } from './passkeys.tsx'
import { Password, Profile } from './profile.tsx'
import { SecondFactor } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'

/** Who one is, how one signs in, and where one is signed in. */
export default function Account() {
  const { person } = session.value!
  return (
    <div class="page narrow">
      <PageHead title="Your account" about={person.email} />
      <Profile />
      <Password />
      <SecondFactor />
      <Passkeys />
      <Sessions />
      <Tokens />
    </div>
  )
}
