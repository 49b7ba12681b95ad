"""
Votes: soft labels against hard labels
======================================

A crowd of annotators disagrees about images. A classifier learns from the shares of their votes
(soft labels), or from the label with most votes (hard labels).
"""

# %%
# The images are scikit-learn's handwritten digits. The annotators are simulated: one classifier,
# trained on other images, reads each image five times, with new noise added to the pixels each
# time. It reads clear digits right and confuses similar ones.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from labeldist.learning import SoftLabelClassifier
from labeldist.votes import agreement, from_votes, noise_ceiling

rng = np.random.default_rng(0)
images, digits = load_digits(return_X_y=True)
images = images / 16
reader = LogisticRegression(max_iter=1000).fit(images[900:], digits[900:])
X = images[:900]
names = ["ann", "bob", "cy", "dee", "eve"]
votes = pd.DataFrame({name: reader.predict(X + rng.normal(0, 0.5, X.shape)) for name in names})
print(votes.head())

# %%
# Krippendorff's alpha is 1 if all annotators agree, and 0 if they vote at random. The noise ceiling
# is the skill that the true distributions themselves would have: they are judged by five votes per
# image, which vary by chance.
found = from_votes(votes, annotators=names)
print(agreement(found, random_state=0))
ceiling = noise_ceiling(found)
print(f"noise ceiling {ceiling:.2f}")

# %%
# ``SoftLabelClassifier`` trains any classifier that takes sample weights. Both kinds of labels
# train the same logistic regression on 600 images. The shares of the votes on the other 300 images
# judge it.
soft = found.distributions
hard = np.eye(soft.shape[1])[soft.argmax(axis=1)]
strengths = [0.03, 0.1, 0.3, 1, 3]
skills = {}
for name, D in {"soft": soft, "hard": hard}.items():
    models = [
        SoftLabelClassifier(LogisticRegression(C=C, max_iter=1000)).fit(X[:600], D[:600])
        for C in strengths
    ]
    skills[name] = [model.score(X[600:], soft[600:]) for model in models]
    print(name, np.round(skills[name], 2))

# %%
# With hard labels the model learns to be certain where the annotators are not. A strong penalty (a
# small C) makes up for it, but cross-validation on hard labels rewards certainty and chooses C = 1.
figure, ax = plt.subplots(layout="constrained")
for name, values in skills.items():
    ax.semilogx(strengths, values, "o-", label=f"{name} labels")
ax.axhline(ceiling, color="grey", linestyle="--", label="noise ceiling")
ax.set(xlabel="C of the logistic regression", ylabel="skill on new images", ylim=(0, 1))
ax.legend()
