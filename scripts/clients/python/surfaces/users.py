"""Private profiles of users."""

from judge import admin, silent, told, unique
from people import PASSWORD, check

ROW = "private-profile-null"


def walk():
    name = unique("eve")
    account = {"username": name, "name": "Eve", "email": f"{name}@example.com", "password": PASSWORD}
    user = told(admin.users.create({**account, "private_profile": None}), ROW)
    check("private_profile by default", user.private_profile, False)
    user.private_profile = True
    silent(user.save())
    check("private_profile", silent(admin.users.get(user.id)).private_profile, True)
    user.private_profile = None
    told(user.save(), ROW)
    check("private_profile after null", silent(admin.users.get(user.id)).private_profile, False)
