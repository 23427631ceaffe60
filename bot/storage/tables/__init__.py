"""Operations of the state file, by what they are about."""
